open Dromos_policy_core
open Dromos_policy_semantics
open Pair

let run t event ~self ~target =
  ignore (Machine.run t.machine t.state event ~self ~target : Machine.report)

let has t = Machine.has t.machine

(* {1 Threads} *)

let new_ t i ~self =
  run t New ~self ~target:i;
  t.hub.push self New t.tasks.(i)

let unblock t i ~self =
  t.hub.push self Unblock t.tasks.(i);
  tell_sleep t i;
  run t Unblock ~self ~target:i

let block t i ~self =
  run t Block ~self ~target:i;
  t.hub.blocked self t.tasks.(i)

let terminate t i ~self =
  run t (if has t Terminate then Terminate else Block) ~self ~target:i;
  t.hub.finished self t.tasks.(i)

(* The worker has let go of it: what does not yield blocks for a moment. *)
let yield t i ~self ~preempted =
  let runs () = Look.current t.machine t.state self = Some i in
  if preempted && has t Tick then run t Tick ~self ~target:i;
  if runs () && has t Yield then run t Yield ~self ~target:i;
  let stays = runs () in
  if stays then run t Block ~self ~target:i;
  t.hub.push self (if preempted then Preempt else Yield) t.tasks.(i);
  if stays then begin
    tell_sleep t i;
    run t Unblock ~self ~target:i
  end

(* {1 Cores} *)

let found t self what task =
  let next = Look.current t.machine t.state self in
  let same =
    match (next, task) with
    | None, None -> true
    | Some i, Some (task : unit Hub.task) -> task.attrs == t.tasks.(i).attrs
    | _ -> false
  in
  if same then what else what ^ ": the hub gives another task"

let balancing t ~self =
  if has t Balancing then run t Balancing ~self ~target:self
  else run t Newly_idle ~self ~target:self

(* Every so many pops a worker balances first. *)
let pop t self =
  t.pops.(self) <- t.pops.(self) + 1;
  if t.pops.(self) mod Runtime.period = 0 then balancing t ~self;
  run t Schedule ~self ~target:self

let schedule t ~self =
  pop t self;
  found t self (Printf.sprintf "schedule on %d" self) (t.hub.pop self)

let newly_idle t ~self =
  run t Newly_idle ~self ~target:self;
  pop t self;
  found t self (Printf.sprintf "newly idle %d" self) (t.hub.steal self)

let balance t ~self =
  balancing t ~self;
  t.generated.on_balancing t.runtime self

(* {1 Any of them} *)

let possible t =
  let cores = Runtime.cores t.runtime in
  let place i = Look.place t.machine t.state i in
  let event name self f =
    [
      (fun () ->
        f ();
        Printf.sprintf "%s on %d" name self);
    ]
  in
  let of_thread self i =
    let named name = Printf.sprintf "%s of t%d" name i in
    match place i with
    | `New -> event (named "new") self (fun () -> new_ t i ~self)
    | `At (_, { Core.state_class = Blocked; _ }) ->
        event (named "unblock") self (fun () -> unblock t i ~self)
    | _ -> []
  in
  let of_core self =
    match Look.current t.machine t.state self with
    | None ->
        [
          (fun () -> schedule t ~self);
          (fun () -> schedule t ~self);
          (fun () -> newly_idle t ~self);
        ]
    | Some i ->
        let named name = Printf.sprintf "%s of t%d" name i in
        event (named "block") self (fun () -> block t i ~self)
        @ event (named "yield") self (fun () ->
              yield t i ~self ~preempted:false)
        @ event (named "tick") self (fun () -> yield t i ~self ~preempted:true)
        @ event (named "tick") self (fun () -> yield t i ~self ~preempted:true)
  in
  let ends self =
    match Look.current t.machine t.state self with
    | Some i ->
        event (Printf.sprintf "end of t%d" i) self (fun () ->
            terminate t i ~self)
    | None -> []
  in
  List.concat_map
    (fun self ->
      event "balancing" self (fun () -> balance t ~self)
      @ of_core self
      @ List.concat_map (of_thread self)
          (List.init (Array.length t.tasks) Fun.id))
    cores
  @ ends 0

let next chance t =
  let below n = Random.State.int chance n in
  if below 20 = 0 then Pair.set_system t (fun () -> below 9);
  let all = possible t in
  (List.nth all (below (List.length all))) ()
