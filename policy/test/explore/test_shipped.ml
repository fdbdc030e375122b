(* The shipped policies. Right policies hold on small machines, wrong ones are
   violated, as their first lines say. *)

open Dromos_policy_explore

let directory = "../../policies/"

let wrong =
  [
    ("threshold1", "GCWC of balancing", (3, 4, 0));
    ("threshold3", "GCWC of balancing", (2, 3, 0));
    ("give_up", "GCWC of balancing", (3, 4, 1));
    ("ule", "GCWC of balancing", (3, 4, 1));
    ("imbalance", "GCWC of balancing", (2, 3, 0));
    ("domain_limited", "LCWC of unblock", (3, 4, 0));
    ("interrupt_to_last_core", "LCWC of unblock", (3, 4, 1));
  ]

let policy name =
  match
    Dromos_policy_elaborate.Elaborate.file (directory ^ name ^ ".policy")
  with
  | Ok { policy; _ } -> policy
  | Error _ -> Alcotest.failf "%s.policy has faults" name

(* The machines on which right policies are searched here. The command searches
   larger ones. *)
let small (promise : Promise.t) =
  let plain = if promise = Hcwc then (4, 4, 1) else (3, 4, 1) in
  let varied = if promise = Hcwc then (4, 4, 0) else (2, 3, 1) in
  List.map
    (fun (v, (cores, threads, events)) ->
      { Bounds.cores; threads; events; varied = v })
    [ (true, varied); (false, plain) ]

let check name () =
  let policy = policy name in
  List.iter
    (fun promise ->
      let expected =
        List.find_opt
          (fun (n, p, _) -> n = name && p = Promise.name promise)
          wrong
      in
      let fail r = Alcotest.failf "%s: %a" name Explore.pp r in
      match expected with
      | None -> (
          let series = small promise in
          let r = Explore.check ~seconds:40. ~series policy promise in
          match r.verdict with
          | Holds when List.length r.covered = 2 -> ()
          | _ -> fail r)
      | Some (_, _, at) -> (
          let r = Explore.check ~seconds:40. policy promise in
          match r.verdict with
          | Violated t ->
              let b = t.instance.bounds in
              if (b.cores, b.threads, b.events) > at then fail r;
              Result.iter_error
                (fun what -> Alcotest.failf "%s: replay: %s" name what)
                (Trace.replay t)
          | Holds | Limit -> fail r))
    (Promise.all policy)

let () =
  let names =
    Sys.readdir directory |> Array.to_list
    |> List.filter_map (fun f -> Filename.chop_suffix_opt ~suffix:".policy" f)
    |> List.sort compare
  in
  Watch.suite "policy shipped" (fun () ->
      Alcotest.run ~and_exit:false "policy shipped"
        [
          ( "explored",
            List.map (fun n -> Watch.case ~limit:120. n (check n)) names );
        ])
