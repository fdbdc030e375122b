open Dromos_policy_core
open Dromos_policy_semantics
open Pair

let run ?waker t event ~self ~target =
  let draw n = !(t.drawn) mod n in
  ignore
    (Machine.run ~draw ?waker t.machine t.state event ~self ~target
      : Machine.report)

let has t = Machine.has t.machine
let run_if t event ~self = if has t event then run t event ~self ~target:self
let back t = if has t Attach then Core.Attach else New

(* {1 Threads} *)

(* The thread that runs on the pushing worker. *)
let waker t self =
  Option.value ~default:(-1) (Look.current t.machine t.state self)

let new_ t i ~self =
  run ~waker:(waker t self) t New ~self ~target:i;
  t.hub.push self New t.tasks.(i)

let unblock t i ~self =
  t.hub.push self Unblock t.tasks.(i);
  tell_sleep t i;
  run ~waker:(waker t self) t Unblock ~self ~target:i

let block t i ~self =
  run t Block ~self ~target:i;
  t.hub.blocked self t.tasks.(i)

let terminate t i ~self =
  run t (if has t Terminate then Terminate else Block) ~self ~target:i;
  t.hub.finished self t.tasks.(i)

(* A fiber that awaits the thread runs its code in place. The policy sees the
   thread end in its queue, if the thread is the newest there. *)
let retract t i ~core =
  if t.hub.retract core t.tasks.(i) then
    run t (if has t Terminate then Terminate else Block) ~self:core ~target:i

(* The worker has left the thread. If the policy keeps the thread running, the
   thread blocks for a moment. *)
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

(* No worker made the thread: the event runs on the first core served. *)
let attach t i =
  run t (back t) ~self:0 ~target:i;
  t.hub.submit New t.tasks.(i)

let detach t i ~self =
  run t Detach ~self ~target:i;
  Dromos_policy_runtime.Words.wants_to_leave t.tasks.(i);
  t.away.(i) <- true;
  t.hub.blocked self t.tasks.(i)

let comes_back t i ~self =
  t.away.(i) <- false;
  t.hub.push self Unblock t.tasks.(i);
  tell_sleep t i;
  run t (back t) ~self ~target:i

(* A thread that yields and wants to leave is back at once. *)
let leaves t i ~self ~preempted =
  run t Detach ~self ~target:i;
  Dromos_policy_runtime.Words.wants_to_leave t.tasks.(i);
  t.hub.push self (if preempted then Preempt else Yield) t.tasks.(i);
  tell_sleep t i;
  run t (back t) ~self ~target:i

(* {1 Cores} *)

let wakes t self =
  if t.asleep.(self) && Look.current t.machine t.state self <> None then begin
    t.asleep.(self) <- false;
    run_if t Exit_idle ~self
  end

let falls_asleep t self =
  if (not t.asleep.(self)) && Look.current t.machine t.state self = None then begin
    t.asleep.(self) <- true;
    run_if t Enter_idle ~self
  end

(* No thread waits on the core: a waiting thread would become an orphan, unknown
   to the machine of the semantics. *)
let stops_and_starts t ~self =
  run_if t Exit ~self;
  run_if t Entry ~self;
  t.asleep.(self) <- false;
  t.hub.retire self;
  t.hub.enlist self

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

(* At every [Runtime.period]th pop a worker balances first. *)
let pop t self =
  t.pops.(self) <- t.pops.(self) + 1;
  if t.pops.(self) mod Runtime.period = 0 then balancing t ~self;
  run t Schedule ~self ~target:self;
  wakes t self

let schedule t ~self =
  pop t self;
  found t self (Printf.sprintf "schedule on %d" self) (t.hub.pop self)

let newly_idle t ~self =
  run t Newly_idle ~self ~target:self;
  pop t self;
  falls_asleep t self;
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
    | _ when t.away.(i) ->
        event (named "coming back") self (fun () -> comes_back t i ~self)
    | `New ->
        event (named "new") self (fun () -> new_ t i ~self)
        @ event (named "attach") self (fun () -> attach t i)
    | `At (_, { Core.state_class = Blocked; _ }) ->
        event (named "unblock") self (fun () -> unblock t i ~self)
    (* Only some threads end: otherwise none would be left after a while. *)
    | `At (core, { state_class = Ready; _ }) when core = self && i mod 3 = 0 ->
        event (named "retract") self (fun () -> retract t i ~core)
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
        @
        if Look.waiting t.machine t.state self then []
        else event "exit and entry" self (fun () -> stops_and_starts t ~self)
    | Some i ->
        let named name = Printf.sprintf "%s of t%d" name i in
        event (named "block") self (fun () -> block t i ~self)
        @ event (named "yield") self (fun () ->
              yield t i ~self ~preempted:false)
        @ event (named "tick") self (fun () -> yield t i ~self ~preempted:true)
        @ event (named "tick") self (fun () -> yield t i ~self ~preempted:true)
        @
        if not (has t Detach) then []
        else
          event (named "detach") self (fun () -> detach t i ~self)
          @ event (named "detach by yield") self (fun () ->
                leaves t i ~self ~preempted:false)
          @ event (named "detach by tick") self (fun () ->
                leaves t i ~self ~preempted:true)
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
  t.drawn := below 12;
  if below 20 = 0 then Pair.set_system t (fun () -> below 9);
  let all = possible t in
  (List.nth all (below (List.length all))) ()
