(* A handler sets a value between two steps of another handler. The search must
   not join two steps between which a third makes a difference. Each case is so
   small that a violation has a single cause. *)

open Dromos_policy_explore

let policy file =
  match
    Dromos_policy_elaborate.Elaborate.file
      (Filename.concat "between" (file ^ ".policy"))
  with
  | Error _ -> Alcotest.failf "%s has faults" file
  | Ok { policy; _ } -> policy

(* With steps joined, and step by step. *)
let both ~cores file =
  let bounds = { Bounds.cores; threads = 3; events = 1; varied = false } in
  List.map
    (fun hurry ->
      let i = Instance.make ~hurry (policy file) (Lcwc Unblock) bounds in
      (hurry, (Search.run i).outcome))
    [ false; true ]

let how hurry = if hurry then "steps made together" else "step by step"

let found ~cores file () =
  List.iter
    (fun (hurry, (outcome : Search.outcome)) ->
      match outcome with
      | Violated trace ->
          Result.iter_error
            (Alcotest.failf "not replayed: %s")
            (Trace.replay trace)
      | _ -> Alcotest.failf "%s: nothing is found" (how hurry))
    (both ~cores file)

let holds ~cores file () =
  List.iter
    (fun (hurry, (outcome : Search.outcome)) ->
      if outcome <> Holds then Alcotest.failf "%s: does not hold" (how hurry))
    (both ~cores file)

let () =
  let case ?(cores = 2) test file =
    Alcotest.test_case file `Quick (test ~cores file)
  in
  Alcotest.run "between"
    [
      ( "found",
        [
          case found "after_a_draw";
          case found "under_a_lock";
          case ~cores:3 found "after_a_release";
          case found "before_the_first_step";
          case found "of_a_waker";
        ] );
      ("holds", [ case holds "set_and_reset" ]);
    ]
