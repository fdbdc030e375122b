(* The simulator runs handlers by the machine of policy/semantics, and changes
   the machine's state in no other way. On random policies and workloads, a
   second machine that runs the same handlers has the same state before each
   handler. *)

open Dromos_policy_core
open Dromos_policy_semantics
open Dromos_policy_simulate

let sprintf = Printf.sprintf

(* Copies the system's values of threads: from the workload, the time and draws
   of the simulator. *)
let tell m (policy : Core.policy) ~from s =
  let same a i = Look.set_attribute m s a i (Look.attribute m from a i) in
  Array.iter
    (fun (a : Core.attribute) ->
      match a.owner with
      | Of_thread when a.system ->
          for i = 0 to (Machine.layout m).threads - 1 do
            same a i
          done
      | Global when a.system && not a.is_lazy -> same a 0
      | _ -> ())
    policy.attributes

(* The place of the thread that makes an event possible. *)
let possible m s (event : Core.event) ~self ~target =
  let is_at state_class =
    match Look.place m s target with
    | `At (_, state) -> state.state_class = state_class
    | `New | `Moving -> false
  in
  match event with
  | New -> Look.place m s target = `New
  | Unblock -> is_at Blocked
  | Block | Terminate | Yield | Tick -> Look.current m s self = Some target
  | Schedule -> Look.current m s self = None
  | _ -> true

let differ text format =
  Printf.ksprintf (fun what -> Alcotest.failf "%s@.%s" text what) format

let one text topology (w : Workload.t) =
  let policy = Random_policy.policy text in
  let m = Machine.create ~threads:w.most_threads topology policy in
  let s = Machine.initial m in
  let fixed = (Machine.layout m).fixed in
  let events = ref 0 and draw = Engine.drawing ~seed:1 in
  let watch event ~self ~target ~waker state =
    incr events;
    let name = Query.event_name event in
    tell m policy ~from:state s;
    if Array.sub state 0 fixed <> Array.sub s 0 fixed then
      differ text "before event %d, %s: %s, and by itself: %s" !events name
        (Look.show m state) (Look.show m s);
    if not (possible m s event ~self ~target) then
      differ text "event %d: %s on core %d of thread %d cannot be: %s" !events
        name self target (Look.show m s);
    ignore (Machine.run ~draw ~waker m s event ~self ~target : Machine.report)
  in
  let r = Engine.run ~watch policy topology w in
  Option.iter (differ text "%s: %s" w.workload_name) r.stuck;
  !events

let same_machine () =
  let events = ref 0 in
  for n = 1 to 60 do
    let text = Random_policy.text Watch.chance ~name:(sprintf "random_%d" n) in
    List.iter
      (fun (kind, topology) ->
        let seed = Random.State.bits Watch.chance in
        match
          Workload.synthetic ~load:1.5 ~length:0.02 ~seed
            ~cores:topology.Topology.cores kind
        with
        | Ok w -> events := !events + one text topology w
        | Error what -> Alcotest.fail what)
      [ ("mixed", Topology.tree ~cores:4 2); ("oltp", Topology.flat 3) ]
  done;
  Printf.printf "%d events\n%!" !events;
  if !events < 10_000 then Alcotest.fail "hardly anything happened"

let () =
  Watch.suite "simulate random" (fun () ->
      Alcotest.run ~and_exit:false "simulate random"
        [ ("random", [ Watch.case "by the same machine" same_machine ]) ])
