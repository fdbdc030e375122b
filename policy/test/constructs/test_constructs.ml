(* Tests each row of doc/policy/constructs.md. The construct is honoured by
   checks, simulations and compiled hubs, or refused by the front end of all
   three. *)

let differ what a b =
  if a = b then Alcotest.failf "%s: with the construct as without it" what

let honoured (r : Rows.row) (with_, without) () =
  let a = Rows.text r.with_ and b = Rows.text r.without in
  let stuck, seen = Observe.simulated a in
  Option.iter (Alcotest.failf "simulated: %s") stuck;
  differ "simulated" seen (snd (Observe.simulated b));
  differ "compiled" (Observe.compiled a with_) (Observe.compiled b without)

let says text part =
  match Observe.faults text with
  | None -> Alcotest.failf "accepted:@.%s" text
  | Some said ->
      if not (Said.contains said part) then
        Alcotest.failf "%s, where this was expected: %s" said part

let checked (r : Rows.row) () = says (Rows.text r.misuse) r.says
let refused (r : Rows.refusal) () = says (Rows.text r.written) r.why

(* The productions of the grammar. Each is in some row. *)
let productions file =
  let text = In_channel.with_open_bin file In_channel.input_all in
  let from = Str.search_forward (Str.regexp "^%%$") text 0 in
  let name = Str.regexp "^\\(%inline \\)?\\([a-z_]+\\)\\((item)\\)?:$" in
  let rec all from =
    match Str.search_forward name text from with
    | exception Not_found -> []
    | _ ->
        let found = Str.matched_group 2 text and stop = Str.match_end () in
        found :: all stop
  in
  all from

let complete () =
  let covered =
    Rows.glue
    @ List.concat_map (fun (r : Rows.row) -> r.covers) Rows.rows
    @ List.concat_map (fun (r : Rows.refusal) -> r.by) Rows.refusals
  in
  List.iter
    (fun p ->
      if not (List.mem p covered) then Alcotest.failf "no row is about %s" p)
    (productions "../../syntax/parser.mly");
  let all =
    String.concat "\n"
      (List.concat_map
         (fun (r : Rows.row) -> [ Rows.text r.with_; Rows.text r.misuse ])
         Rows.rows
      @ List.map (fun (r : Rows.refusal) -> Rows.text r.written) Rows.refusals)
  in
  let skipped =
    [ "within"; "idle"; "rounds"; "exempt"; "when"; "because"; "conserve" ]
  in
  List.iter
    (fun (word, _) ->
      if (not (List.mem word skipped)) && not (Said.contains all word) then
        Alcotest.failf "no policy has the word %s" word)
    Dromos_policy_syntax.Tokens.keywords

let () =
  let case name f = Alcotest.test_case name `Quick f in
  Alcotest.run "constructs"
    [
      ( "honoured when it runs",
        List.map2
          (fun (r : Rows.row) pair -> case r.construct (honoured r pair))
          Rows.rows Compiled.all );
      ( "looked at by the checks",
        List.map (fun (r : Rows.row) -> case r.construct (checked r)) Rows.rows
      );
      ( "refused",
        List.map
          (fun (r : Rows.refusal) -> case r.refused (refused r))
          Rows.refusals );
      ("whole", [ case "no production is left out" complete ]);
    ]
