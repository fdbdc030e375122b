(* Policies that were proved and are wrong, or that no prover could be asked about.
   Those whose violation the model checker finds are in test/random/kept. *)

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
          ] );
    ]
