open Dromos_policy_syntax
open Dromos_policy_elaborate

let folder = "../../policies"

let shipped =
  Sys.readdir folder |> Array.to_list |> List.sort String.compare
  |> List.filter (fun name -> Filename.check_suffix name ".policy")

let case f name =
  Alcotest.test_case name `Quick (fun () -> f (Filename.concat folder name))

let of_ours f name =
  Alcotest.test_case name `Quick (fun () -> f (Filename.concat "policies" name))

let parsed ?file text =
  match Parse.string ?file text with
  | Ok ast -> ast
  | Error fault -> failwith (Fault.to_string ~source:text fault)

let read file = In_channel.with_open_bin file In_channel.input_all

let passes file =
  match Elaborate.file file with
  | Ok { warnings = []; _ } -> ()
  | Ok { warnings; _ } ->
      Alcotest.fail
        (String.concat "\n" (List.map (fun w -> Fault.to_string w) warnings))
  | Error (source, faults) ->
      Alcotest.fail
        (String.concat "\n" (List.map (Fault.to_string ~source) faults))

(* The file gets two warnings: the paper's code supposes that a thread that
   wakes up has run before, on a core. *)
let passes_but_for_warnings file =
  match Elaborate.file file with
  | Ok { warnings; _ } ->
      Alcotest.(check int)
        "an attribute of a core that may be none" 2 (List.length warnings)
  | Error (source, faults) ->
      Alcotest.fail
        (String.concat "\n" (List.map (Fault.to_string ~source) faults))

(* {1 Layout} *)

let is_laid_out file =
  let source = read file in
  Alcotest.(check string) "as it is" source (Printer.format (parsed source))

let random count name gen ~print property =
  QCheck_alcotest.to_alcotest
    (QCheck2.Test.make ~count ~name ~print gen property)

let stable text =
  let once = Printer.format (parsed text) in
  let twice = Printer.format (parsed once) in
  if once <> twice then
    QCheck2.Test.fail_reportf "once:\n%s\ntwice:\n%s" once twice

let trees_come_back ast =
  let text = Printer.format ast in
  let again = Strip.policy (parsed text) in
  stable text;
  again = ast

(* Puts comments into a policy, at any white space of the printer. Each
   comment is kept, and the rest does not change. *)
let blank = function ' ' | '\n' -> true | _ -> false

let tokens_of text =
  (* The policy without comments, as the printer prints it. *)
  let ast = parsed text in
  Printer.format { ast with comments = [] }

let with_comments text choices =
  let out = Buffer.create (2 * String.length text) in
  let in_text = ref false and choices = ref choices and n = ref 0 in
  let next () =
    match !choices with
    | [] -> 0
    | choice :: rest ->
        choices := rest;
        choice
  in
  String.iter
    (fun c ->
      if c = '"' then in_text := not !in_text;
      if blank c && not !in_text then begin
        let said format =
          incr n;
          Printf.bprintf out format !n
        in
        match next () with
        | 1 -> said " /* c%d */ "
        | 2 -> said " // c%d\n"
        | 3 -> said "\n\n\n// c%d\n\n\n"
        | 4 -> said " /* c%d\n     and\n   * more */\n"
        | _ -> ()
      end;
      Buffer.add_char out c)
    text;
  (Buffer.contents out, !n)

let said_in text =
  let words = Str.regexp "c[0-9]+\\b" in
  let rec all from =
    match Str.search_forward words text from with
    | at ->
        let found = Str.matched_string text in
        found :: all (at + 1)
    | exception Not_found -> []
  in
  all 0

let comments_stay (file, choices) =
  let plain = tokens_of (read (Filename.concat folder file)) in
  let text, count = with_comments plain choices in
  let formatted = Printer.format (parsed text) in
  stable text;
  let ast = Strip.policy (parsed formatted) in
  let numbers =
    List.concat_map
      (fun (c : Ast.comment) -> said_in c.said)
      (parsed formatted).comments
  in
  if ast <> Strip.policy (parsed plain) then
    QCheck2.Test.fail_report "another policy";
  let wanted = List.init count (fun i -> Printf.sprintf "c%d" (i + 1)) in
  if numbers <> wanted then
    QCheck2.Test.fail_reportf "of %d comments %d, or in another order:\n%s"
      count (List.length numbers) formatted;
  true

let comment_choices =
  QCheck2.Gen.(
    pair (oneofl shipped)
      (list_size (int_range 0 800)
         (frequency [ (1, int_range 1 4); (9, return 0) ])))

(* {1 Nothing raises} *)

let answers text =
  match Parse.string text with
  | Error fault -> Fault.to_string ~source:text fault <> ""
  | Ok ast -> (
      stable text;
      match Elaborate.policy ast with
      | Ok _ -> true
      | Error faults ->
          faults <> []
          && List.for_all (fun f -> Fault.to_string ~source:text f <> "") faults
      )

let bytes = QCheck2.Gen.(string_size ~gen:char (int_range 0 200))

(* A policy with some bytes or words replaced. *)
let damaged =
  let open QCheck2.Gen in
  let words =
    Array.of_list
      (List.map fst (Tokens.keywords @ Tokens.punctuation)
      @ [ "x"; "7"; "t"; "none"; "ready"; "\n"; "/*"; "*/"; "\""; "\xff" ])
  in
  let change =
    triple (oneofl [ `Cut; `Put; `Copy ]) (int_bound 1_000_000) (oneofa words)
  in
  let apply text (what, at, word) =
    let n = String.length text in
    if n = 0 then word
    else
      let at = at mod n in
      let before = String.sub text 0 at in
      let after = String.sub text at (n - at) in
      let length = min (String.length word * 3) (String.length after) in
      match what with
      | `Put -> before ^ word ^ after
      | `Cut -> before ^ String.sub after length (String.length after - length)
      | `Copy -> before ^ String.sub after 0 length ^ after
  in
  let* file = oneofl shipped in
  let+ changes = list_size (int_range 1 3) change in
  List.fold_left apply (read (Filename.concat folder file)) changes

let means_something ast =
  (* Random trees have faults, and each fault is reported. *)
  match Elaborate.policy ast with
  | Ok _ -> true
  | Error faults -> faults <> [] && List.length faults <= Elaborate.most

let () =
  Alcotest.run "policy front end"
    [
      ("shipped policies pass all checks", List.map (case passes) shipped);
      ( "so do others",
        [
          of_ours passes "everything.policy";
          of_ours passes_but_for_warnings "listing1.policy";
        ] );
      ("shipped policies are laid out", List.map (case is_laid_out) shipped);
      ( "random",
        [
          random 500 "any tree is printed, read and the same" Random_ast.policy
            ~print:Printer.format trees_come_back;
          random 300 "comments anywhere are kept" comment_choices
            ~print:(fun (file, choices) ->
              fst
                (with_comments
                   (tokens_of (read (Filename.concat folder file)))
                   choices))
            comments_stay;
          random 1000 "any bytes get an answer" bytes ~print:String.escaped
            answers;
          random 500 "any damaged policy gets an answer" damaged
            ~print:(fun text -> text)
            answers;
          random 300 "any tree gets an answer" Random_ast.policy
            ~print:Printer.format means_something;
        ] );
    ]
