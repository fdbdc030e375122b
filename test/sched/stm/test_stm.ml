(* Runs the models of the structures between schedulers. *)

let case test =
  let (QCheck2.Test.Test cell) = test in
  Watch.case (QCheck2.Test.get_name cell) (fun () ->
      QCheck2.Test.check_cell_exn
        ~rand:(Random.State.make [| Watch.seed |])
        cell)

let () =
  Watch.suite "sleepers and thieves" (fun () ->
      Alcotest.run ~and_exit:false "sleepers and thieves"
        [
          ("sleepers", List.map case Sleeping.tests);
          ("thieves", List.map case Thieving.tests);
        ])
