(* Threads that are made in a row, before any core schedules. The simulator is
   the third judge beside the prover and the model checker: a policy that places
   well leaves no core idle beside a core of two threads; a policy that looks at
   the running threads alone does, and the model checker finds the run. *)

open Dromos_policy_semantics
open Dromos_policy_simulate
open Dromos_policy_explore
module Elaborate = Dromos_policy_elaborate.Elaborate

let policy file =
  match Elaborate.file file with
  | Ok { policy; _ } -> policy
  | Error _ -> Alcotest.failf "%s is no policy" file

let spawns n =
  let compute = Workload.Compute 3000. in
  let child i : Workload.thread =
    {
      name = Printf.sprintf "w%d" i;
      settings = [];
      attached = false;
      actions = List.to_seq [ compute ];
    }
  in
  let children = List.init n (fun i -> Workload.Spawn (child i)) in
  let main : Workload.thread =
    {
      name = "main";
      settings = [];
      attached = false;
      actions = List.to_seq (children @ [ compute ]);
    }
  in
  {
    Workload.workload_name = "in a row";
    described = "";
    barriers = [];
    starts = [ (0., main) ];
    most_threads = n + 1;
  }

let wasted policy =
  let cores = 4 in
  (Summary.of_result ~cores
     (Engine.run policy (Topology.flat cores) (spawns (cores - 1))))
    .wasted

(* A policy that conserves only within some rounds may leave a core idle until
   then. *)
let violated policy =
  Dromos_policy_core.Query.rounds policy > 0
  ||
  match (Explore.check ~seconds:0.5 policy (Lcwc New)).verdict with
  | Violated _ -> true
  | Holds | Limit -> false

let places file () =
  let policy = policy file in
  let wasted = wasted policy in
  if wasted > 0. && not (violated policy) then
    Alcotest.failf
      "%.0f us are wasted, and the model checker finds no violation of LCWC"
      wasted

let wastes file () =
  let policy = policy file in
  if not (violated policy) then Alcotest.fail "no violation is found";
  if wasted policy < 1000. then Alcotest.fail "no time is wasted"

let files folder =
  Sys.readdir folder |> Array.to_list |> List.sort String.compare
  |> List.filter (fun f -> Filename.check_suffix f ".policy")
  |> List.map (Filename.concat folder)

let () =
  let in_a_row = "../random/in_a_row" in
  let case test file =
    Alcotest.test_case (Filename.basename file) `Quick (test file)
  in
  Alcotest.run "in a row"
    [
      ( "places well, or is violated",
        List.concat_map files
          [ "../../policies"; "../../policies/known"; in_a_row ]
        |> List.map (case places) );
      ( "is violated, and wastes",
        [ case wastes (Filename.concat in_a_row "by_slot.policy") ] );
      ( "wastes nothing",
        List.map
          (fun file ->
            Alcotest.test_case (Filename.basename file) `Quick (fun () ->
                Alcotest.(check (float 1.)) "wasted" 0. (wasted (policy file))))
          [
            Filename.concat in_a_row "idle_first.policy";
            "../../policies/known/idle_sibling.policy";
            "../../policies/known/smt_first.policy";
          ] );
    ]
