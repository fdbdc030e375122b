(* The search still knows the values set by events that are over. *)

open Dromos_policy_explore

let check file =
  match
    Dromos_policy_elaborate.Elaborate.file
      (Filename.concat "late" (file ^ ".policy"))
  with
  | Error _ -> Alcotest.failf "%s has faults" file
  | Ok { policy; _ } ->
      let series =
        [ { Bounds.cores = 2; threads = 3; events = 1; varied = false } ]
      in
      Explore.check ~seconds:30. ~series policy Gcwc

let show r = Format.asprintf "%a" Explore.pp r

let found file () =
  let r = check file in
  match r.verdict with
  | Violated trace ->
      Result.iter_error (Alcotest.failf "not replayed: %s") (Trace.replay trace)
  | Holds | Limit -> Alcotest.fail (show r)

let holds file () =
  let r = check file in
  if r.verdict <> Holds then Alcotest.fail (show r)

let () =
  let case test file = Alcotest.test_case file `Quick (test file) in
  Alcotest.run "late"
    [
      ("found", [ case found "whom_all_remember" ]);
      ("holds", [ case holds "set_by_others" ]);
    ]
