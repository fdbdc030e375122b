(* Policies that were proved and are wrong, or that no prover could be asked about.
   Those whose violation the model checker finds are in test/random/kept. *)

open Dromos_policy_prove

let open_ file (property : Prove.property) () =
  let file = Filename.concat "not_proved" (file ^ ".policy") in
  match Dromos_policy_elaborate.Elaborate.file file with
  | Error _ -> Alcotest.failf "%s has faults" file
  | Ok { policy; _ } ->
      List.iter
        (fun (r : Prove.result) ->
          match (r.verdict, r.property = property) with
          | Refuted_obligation _, true | Proved _, false -> ()
          | other, _ ->
              Alcotest.failf "%s: %s"
                (Prove.property_name r.property)
                (Prove.say other))
        (Prove.policy policy).results

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
          ] );
    ]
