(* Wrong policies that were proved once, and policies whose goals no prover
   could read. Policies whose violation is found by the model checker are in
   test/random/kept. *)

open Dromos_policy_prove

let open_ file (property : Prove.property) () =
  let file = Filename.concat "not_proved" (file ^ ".policy") in
  match Dromos_policy_elaborate.Elaborate.file file with
  | Error _ -> Alcotest.failf "%s has faults" file
  | Ok { policy; _ } -> (
      let said =
        List.find
          (fun (r : Prove.result) -> r.property = property)
          (Prove.policy policy).results
      in
      match said.verdict with
      | Refuted_obligation _ -> ()
      | other -> Alcotest.fail (Prove.say other))

(* Names of goals differ in one WhyML file: two moves on a line have two
   names. *)
let names () =
  let text =
    In_channel.with_open_text "not_proved/remembered.policy"
      In_channel.input_all
    |> String.split_on_char '\n'
    |> List.filter (fun line -> not (String.starts_with ~prefix:"//" line))
    |> String.concat " "
  in
  match Dromos_policy_syntax.Parse.string text with
  | Error _ -> Alcotest.fail "remembered.policy on one line"
  | Ok ast -> (
      match Dromos_policy_elaborate.Elaborate.policy ast with
      | Error _ -> Alcotest.fail "remembered.policy on one line"
      | Ok { policy; _ } ->
          let names =
            Prove.obligations policy |> List.concat_map snd
            |> List.map (fun (o : Obligation.t) -> o.name)
          in
          Alcotest.(check (list string))
            "each once"
            (List.sort_uniq compare names)
            (List.sort compare names))

let case (file, property) = Alcotest.test_case file `Quick (open_ file property)

let () =
  Alcotest.run "not proved"
    [
      ( "refuted",
        List.map case
          [
            ("remembered", Prove.Lcwc Unblock);
            ("shared_flag", Lcwc Unblock);
            ("names_of_globals", Lcwc Unblock);
            ("names_of_groups", Hcwc);
            ("load_of_two", Lcwc Unblock);
            ("loop_attr", Lcwc New);
            ("loop_calls", Lcwc New);
            ("loop_nested", Lcwc New);
            ("another_name", Lcwc New);
            ("first_group", Hcwc);
            ("schedule", Conservation);
            ("schedule_by_count", Conservation);
            ("schedule_by_loop", Conservation);
            ("overflow", Gcwc);
            ("attach_nowhere", Conservation);
            ("pinned_first", Gcwc);
            ("pinned_taken", Conservation);
            ("of_none", Conservation);
          ] );
      ("names", [ Alcotest.test_case "on one line" `Quick names ]);
    ]
