(* `e.waker`: verdicts on policies that read the waker, and the wakers in
   simulations. *)

open Dromos_policy_core
open Dromos_policy_semantics
open Dromos_policy_simulate
open Dromos_policy_prove
open Dromos_policy_verdict

let fifo = Changed.read "../../policies/fifo.policy"

(* A thread that runs has a mark. *)
let marked =
  [
    ("int load = 1;", "int load = 1; int mark;");
    ("t => current;", "t.mark = 1; t => current;");
  ]

let unblock = "On unblock {\n      core idlest = least_loaded();"

let answer changes property =
  let report =
    Verdict.check ~seconds:10. (Changed.policy fifo (marked @ changes))
  in
  (List.find (fun (r : Verdict.result) -> r.property = property) report.results)
    .answer

let on_unblock choice =
  [ (unblock, "On unblock {\n      core idlest = " ^ choice ^ ";") ]

let violated () =
  match
    answer
      (on_unblock "e.waker.mark == 1 ? self : least_loaded()")
      (Prove.Lcwc Unblock)
  with
  | Violated { trace; _ } ->
      Result.iter_error
        (fun why -> Alcotest.fail why)
        (Dromos_policy_explore.Trace.replay trace);
      let told = Fmt.str "%a" Dromos_policy_explore.Trace.pp trace in
      if not (Said.contains told "reads mark of its waker") then
        Alcotest.fail told
  | _ -> Alcotest.fail "it is not violated"

let proved () =
  match
    answer
      (on_unblock "e.waker.mark == 1 ? least_loaded() : least_loaded()")
      (Prove.Lcwc Unblock)
  with
  | Proved _ -> ()
  | _ -> Alcotest.fail "it is not proved"

(* If there is a waker each read is a step. *)
let steps () =
  let policy =
    Changed.policy fifo
      (marked @ on_unblock "e.waker.mark + e.waker.mark > 0 ? self : self")
  in
  let m = Machine.create ~threads:2 (Topology.flat 1) policy in
  let steps waker =
    let s = Machine.initial m in
    let run ?waker event target =
      Machine.run ?waker m s event ~self:0 ~target
    in
    ignore (run New 0 : Machine.report);
    ignore (run Schedule 0 : Machine.report);
    (run ~waker Unblock 1).steps
  in
  Alcotest.(check int) "two reads" 2 (steps 0 - steps (-1));
  Alcotest.(check bool) "asks" true (Machine.asks_waker m Unblock);
  Alcotest.(check bool) "asks not" false (Machine.asks_waker m New)

(* {1 In simulations} *)

(* The waker seen by each thread: 1 without a waker, 10 and more with one. *)
let told () =
  let policy =
    Changed.policy fifo
      [
        ("int load = 1;", "int load = 1; int made; int woken;");
        ( "On new {",
          "On new { e.target.made = valid(e.waker) ? 10 + e.waker.made : 1;" );
        ( "On unblock {",
          "On unblock { e.target.woken = valid(e.waker) ? 10 + e.waker.made : \
           1;" );
      ]
  in
  let thread ?(at = 0.) name actions =
    ( at,
      {
        Workload.name;
        attached = false;
        settings = [];
        actions = List.to_seq actions;
      } )
  in
  let child = snd (thread "child" [ Workload.Compute 100. ]) in
  let starts =
    [
      thread "parent" Workload.[ Compute 10.; Spawn child; Join; Compute 10. ];
      thread ~at:5000. "sleeper" Workload.[ Sleep 100.; Compute 10. ];
    ]
  in
  let last = ref [||] in
  let watch _ ~self:_ ~target:_ ~waker:_ s = last := s in
  let r =
    Engine.run ~watch policy (Topology.flat 1)
      {
        workload_name = "wakers";
        described = "";
        barriers = [];
        starts;
        most_threads = 3;
      }
  in
  Option.iter (Alcotest.failf "%s") r.stuck;
  let m = Machine.create ~threads:3 (Topology.flat 1) policy in
  let of_ name =
    let a =
      Option.get
        (Array.find_opt
           (fun (a : Core.attribute) -> a.name = name)
           policy.attributes)
    in
    List.mapi
      (fun i name -> (name, Look.attribute m !last a i))
      (Array.to_list r.names)
    |> List.sort compare
  in
  let check = Alcotest.(check (list (pair string int))) in
  check "made" [ ("child", 11); ("parent", 1); ("sleeper", 1) ] (of_ "made");
  check "woken" [ ("child", 0); ("parent", 21); ("sleeper", 1) ] (of_ "woken")

let () =
  let case name f = Alcotest.test_case name `Quick f in
  Alcotest.run "waker"
    [
      ( "waker",
        [
          case "to its core, though another is idle" violated;
          case "nothing follows from it" proved;
          case "each read is a step" steps;
          case "in simulations" told;
        ] );
    ]
