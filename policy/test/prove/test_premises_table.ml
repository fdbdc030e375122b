(* The table of premises in doc/policy/semantics.md names every function of
   policy/prove that adds a premise, every axiom of the theories, and every
   obligation made by the prover for the policies here. *)

open Dromos_policy_prove

let read file = In_channel.with_open_text file In_channel.input_all
let lines file = String.split_on_char '\n' (read file)

let files directory suffix =
  Sys.readdir directory |> Array.to_list
  |> List.filter (fun name -> Filename.check_suffix name suffix)
  |> List.sort compare
  |> List.map (Filename.concat directory)

(* {1 The code} *)

let name_after keywords line =
  List.find_map
    (fun keyword ->
      if String.starts_with ~prefix:(keyword ^ " ") line then
        let rest =
          String.sub line
            (String.length keyword + 1)
            (String.length line - String.length keyword - 1)
        in
        Scanf.sscanf_opt rest "%[a-z0-9_']" Fun.id
      else None)
    keywords

let definitions =
  [ "let[@inline] rec"; "let[@inline]"; "let rec"; "and"; "let" ]

(* [Symbolic.know p], not a field [c.role]. *)
let called word =
  match String.split_on_char '.' word with
  | [ name ] -> name
  | [ path; name ] when path <> "" && Char.uppercase_ascii path.[0] = path.[0]
    ->
      name
  | _ -> ""

let supposes line =
  String.map (fun c -> if c = '(' then ' ' else c) line
  |> String.split_on_char ' '
  |> List.exists (fun w -> List.mem (called w) [ "know"; "know_of"; "role" ])

(* Functions that only pass a premise on. *)
let passes_on = [ "know"; "know_of"; "role"; "of_role"; "add" ]

let suppose file =
  let stem = Filename.remove_extension (Filename.basename file) in
  let step (current, found) line =
    let current = Option.value (name_after definitions line) ~default:current in
    let comment = String.starts_with ~prefix:"(*" (String.trim line) in
    if
      supposes line && current <> "" && (not comment)
      && not (List.mem current passes_on)
    then (current, (stem ^ "." ^ current) :: found)
    else (current, found)
  in
  snd (List.fold_left step ("", []) (lines file))

let axioms file =
  List.filter_map (fun l -> name_after [ "axiom" ] (String.trim l)) (lines file)

(* {1 The table} *)

let rows =
  lazy
    (lines "../../../doc/policy/semantics.md"
    |> List.filter (String.starts_with ~prefix:"| ")
    |> List.filter_map (fun row ->
           match String.split_on_char '|' row with
           | [ ""; where; what; by; "" ] -> Some (where, what, by)
           | _ -> None))

let quoted text =
  String.split_on_char '`' text |> List.filteri (fun i _ -> i mod 2 = 1)

let named column =
  List.concat_map (fun row -> quoted (column row)) (Lazy.force rows)

let first (where, _, _) = where
let last (_, _, by) = by

let all_in what table found =
  match
    List.filter (fun x -> not (List.mem x table)) (List.sort_uniq compare found)
  with
  | [] -> ()
  | missing ->
      Alcotest.failf "%s, and not in the table: %s" what
        (String.concat ", " missing)

(* {1 Tests} *)

let functions = lazy (List.concat_map suppose (files "../../prove" ".ml"))

let of_the_code () =
  all_in "supposed" (named first) (Lazy.force functions);
  let in_table =
    List.filter (fun name -> String.contains name '.') (named first)
  in
  all_in "in the table, and supposes nothing" (Lazy.force functions) in_table

let of_the_theories () =
  all_in "axioms" (named first)
    (List.concat_map axioms (files "../../theories" ".mlw"))

(* Prefixes of obligations that exist for each queue. *)
let of_a_queue name =
  List.find_opt
    (fun prefix -> String.starts_with ~prefix:(prefix ^ "_") name)
    [ "served_first"; "served_in_turn"; "exempt_only"; "in_order_of_arrival" ]

(* [new_line_12] is [new_line]. *)
let base name =
  match of_a_queue name with
  | Some prefix -> prefix
  | None -> (
      match Scanf.sscanf_opt name "%[a-z]_line" Fun.id with
      | Some event when String.starts_with ~prefix:(event ^ "_line_") name ->
          event ^ "_line"
      | _ ->
          if String.ends_with ~suffix:"_moves" name && name <> "steal_moves"
          then "new_moves"
          else name)

let obligations () =
  let of_file file =
    match Dromos_policy_elaborate.Elaborate.file file with
    | Error _ -> []
    | Ok { policy; _ } ->
        Prove.obligations policy |> List.concat_map snd
        |> List.map (fun (o : Obligation.t) -> base o.name)
  in
  all_in "obligations" (named last)
    (List.concat_map of_file
       (files "../../policies" ".policy" @ files "not_proved" ".policy"))

let () =
  Alcotest.run "premises table"
    [
      ( "each is there",
        [
          Alcotest.test_case "suppositions" `Quick of_the_code;
          Alcotest.test_case "axioms" `Quick of_the_theories;
          Alcotest.test_case "obligations" `Quick obligations;
        ] );
    ]
