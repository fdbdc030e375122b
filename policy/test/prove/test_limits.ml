(* Limits of a proof, in counted work, and the text of witnesses. *)

open Dromos_policy_core.Core
open Dromos_policy_prove
module Elaborate = Dromos_policy_elaborate.Elaborate

let read file = In_channel.with_open_bin file In_channel.input_all
let fifo = lazy (read "../../policies/fifo.policy")

let replaced before after =
  let at = Str.search_forward (Str.regexp_string before) (Lazy.force fifo) 0 in
  let text = Lazy.force fifo in
  let rest = at + String.length before in
  String.sub text 0 at ^ after ^ String.sub text rest (String.length text - rest)

let policy_of text =
  match Dromos_policy_syntax.Parse.string text with
  | Error f -> Alcotest.fail f.message
  | Ok ast -> (
      match Elaborate.policy ast with
      | Ok { policy; _ } -> policy
      | Error _ -> Alcotest.fail "is at fault")

let filter_ by = policy_of (replaced "src.cload - dst.cload >= 2\n" (by ^ "\n"))

let take_ body =
  policy_of (replaced "if (src.cload - dst.cload >= 2) t => dst.ready;" body)

let repeat n f = List.init n f

let work policy =
  match
    Effort.within ~most:max_int (fun () ->
        ignore (Prove.obligations policy);
        Effort.worked ())
  with
  | Ok n -> n
  | Error why -> Alcotest.fail (Effort.why why)

(* Four times the size costs at most five times the work. *)
let grows make () =
  let small = work (make 200) and large = work (make 800) in
  if large > 5 * small then
    Alcotest.failf "%d steps for 200, %d for 800" small large

let chain sign each n = filter_ (String.concat sign (repeat n each))

let differences n =
  chain " && " (fun i -> Printf.sprintf "src.cload - dst.cload >= %d" (2 - i)) n

let alternatives n =
  chain " || " (fun i -> Printf.sprintf "src.cload >= %d + dst.cload" (2 + i)) n

let sums n =
  filter_ (String.concat "+" (repeat n (fun _ -> "src.cload")) ^ ">= 2")

let choices n =
  filter_
    (String.concat ""
       (repeat n (fun i -> Printf.sprintf "src.cload == %d ? true : " i))
    ^ "src.cload >= 2")

let assignments n =
  take_
    ("int a = src.cload;"
    ^ String.concat "" (repeat n (fun i -> Printf.sprintf "a = a + %d;" i))
    ^ "if (a - dst.cload >= 2) t => dst.ready;")

(* {1 Too much is unknown, and says so} *)

let unknown part policy () =
  match
    List.filter_map
      (fun (r : Prove.result) ->
        match r.verdict with Unknown { why; _ } -> Some why | _ -> None)
      (Prove.policy ~limit:60. policy).results
  with
  | [] -> Alcotest.fail "nothing is unknown"
  | why :: _ ->
      let found =
        try Str.search_forward (Str.regexp_string part) why 0 >= 0
        with Not_found -> false
      in
      if not found then Alcotest.fail why

let doubled =
  lazy
    (take_
       ("int a = src.cload;"
       ^ String.concat "" (repeat 60 (fun _ -> "a = a > 2 ? a : a * 3;"))
       ^ "if (a - dst.cload >= 2) t => dst.ready;"))

let many_paths =
  lazy
    (take_
       ("int a = src.cload;"
       ^ String.concat ""
           (repeat 60 (fun i -> Printf.sprintf "if (a > %d) a -= dst.cload;" i))
       ^ "if (a - dst.cload >= 2) t => dst.ready;"))

let no_time () =
  match
    Effort.within ~seconds:0. (fun () -> Prove.obligations (differences 9))
  with
  | Error (Seconds _) -> ()
  | Error Work | Ok _ -> Alcotest.fail "not ended by the clock"

(* Equal terms are found equal, whatever their construction. *)
let terms_too_large () =
  let x = Term.individual "x" in
  let rec double n t = if n = 0 then t else double (n - 1) (Term.mul t t) in
  Alcotest.(check bool) "equal" true (Term.equal (double 9 x) (double 9 x));
  match double 40 x with
  | exception Term.Too_large -> ()
  | _ -> Alcotest.fail "a term of 2^40 parts was made"

(* {1 Witnesses} *)

let roles =
  [ "idle"; "chosen"; "heavy"; "target"; "self"; "none" ]
  @ [ "cload"; "count"; "of"; "the"; "first"; "some"; "core"; "group" ]
  @ [ "thread"; "domain"; "filtered"; "largest" ]

let words_of policy_text name =
  let words = Str.split (Str.regexp "[^A-Za-z0-9_]+") name in
  let written w =
    try Str.search_forward (Str.regexp ("\\b" ^ w ^ "\\b")) policy_text 0 >= 0
    with Not_found -> false
  in
  List.filter (fun w -> not (List.mem w roles || written w)) words

let well_formed file () =
  let text = read file in
  let policy = policy_of text in
  List.iter
    (fun (r : Prove.result) ->
      match r.verdict with
      | Refuted_obligation { values; words; _ } ->
          List.iter
            (fun (name, value) ->
              if words_of text name <> [] || String.contains name '#' then
                Alcotest.failf "no name of the policy: %s in %s" name words;
              let counts =
                String.ends_with ~suffix:"cload" name
                || String.starts_with ~prefix:"count(" name
                || String.starts_with ~prefix:"cload of" name
              in
              if counts && String.contains value '-' then
                Alcotest.failf "a negative sum: %s" words;
              Array.iter
                (fun a ->
                  match
                    ( Dromos_policy_core.Loads.bounds policy a,
                      int_of_string_opt value )
                  with
                  | { least; most }, Some i
                    when a.ty = Int
                         && String.ends_with ~suffix:("." ^ a.name) name ->
                      if
                        Option.fold ~none:false ~some:(fun l -> i < l) least
                        || Option.fold ~none:false ~some:(fun m -> i > m) most
                      then Alcotest.failf "%s cannot be: %s" name words
                  | _ -> ())
                policy.attributes)
            values
      | _ -> ())
    (Prove.policy policy).results

let policies =
  List.concat_map
    (fun folder ->
      Sys.readdir folder |> Array.to_list |> List.sort String.compare
      |> List.filter (String.ends_with ~suffix:".policy")
      |> List.map (Filename.concat folder))
    [ "../../policies"; "not_proved" ]

let quick name f = Alcotest.test_case name `Quick f

let () =
  Alcotest.run "limits"
    [
      ( "growth",
        [
          quick "&&" (grows differences);
          quick "||" (grows alternatives);
          quick "+" (grows sums);
          quick "?:" (grows choices);
          quick "assignments" (grows assignments);
        ] );
      ( "too much",
        [
          quick "terms that double" (fun () ->
              unknown "too large" (Lazy.force doubled) ());
          quick "paths that double" (fun () ->
              unknown "too many paths" (Lazy.force many_paths) ());
          quick "no time" no_time;
          quick "terms" terms_too_large;
        ] );
      ( "witnesses",
        List.map (fun f -> quick (Filename.basename f) (well_formed f)) policies
      );
    ]
