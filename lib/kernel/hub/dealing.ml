module Deques = Dromos_deque.Dealing

type 'ctx t = {
  deques : 'ctx Hub.task Deques.t;
  central : 'ctx Central.t;
  vacant : int Atomic.t; (* number of workers that are not present *)
  present : bool array;
      (* written by worker [i]: worker [i] serves, and has pushed or waited
         since it came *)
  own_deque : 'ctx Central.own_deque;
  notifier : Hub.notifier;
}

(* No worker waits at a vacant role, but a thread may come to serve the role,
   and our worker may not touch the hub for long. While roles are vacant, a
   worker with tasks keeps one task in the shared queue. *)
let deal_to_vacant t i =
  if not (Deques.is_empty t.deques i) then
    if not (Central.has_work t.central) then
      match Deques.oldest t.deques i with
      | Some task -> Central.submit t.central Hub.New task
      | None -> ()

(* Called after each operation that may have dealt. The receiver announces
   its sleep before it looks into its cell a last time, and the dealer deals
   before it notifies. Therefore the receiver sees the task or the dealer
   sees the sleep. *)
let answered t i =
  let receiver = Deques.dealt t.deques i in
  if receiver >= 0 then t.notifier.notify receiver;
  if Atomic.get t.vacant > 0 then deal_to_vacant t i

(* Marks worker [i] as present. A role counts as vacant until its worker
   pushes or waits. Up to then other workers keep a task in the shared queue,
   so a thread that comes to serve does not miss a task that is pushed at
   that moment. *)
let appear t i =
  if not (Array.get t.present i) then begin
    Array.set t.present i true;
    Atomic.decr t.vacant
  end

(* Marks worker [i] as absent, before the worker withdraws its announcement. *)
let disappear t i =
  if Array.get t.present i then begin
    Array.set t.present i false;
    Atomic.incr t.vacant
  end

let push_deque t i task =
  Deques.push t.deques i task;
  answered t i

let pop_deque t i =
  let popped = Deques.pop t.deques i in
  answered t i;
  popped

(* A worker that has found a task elsewhere no longer waits for a task. If a
   dealer has dealt it a task, the worker pushes the task. *)
let withdraw t i =
  if Deques.waits_for_answer t.deques i then
    match Deques.withdraw t.deques i with
    | Some task -> push_deque t i task
    | None -> ()

let push_own t i task =
  appear t i;
  withdraw t i;
  push_deque t i task

let push t i reason task =
  match reason with
  | Hub.New -> push_own t i task
  | Hub.Unblock -> push_own t i task
  | Hub.Yield -> Central.submit t.central reason task
  | Hub.Preempt -> Central.submit t.central reason task

let tick t i =
  Deques.tick t.deques i;
  answered t i

(* A worker runs a dealt task at once. If the worker pushed the task, the
   task might be dealt to another worker, and so on for ever. *)
let pop_own_first t i =
  let dealt = Deques.withdraw t.deques i in
  match dealt with
  | Some _ -> dealt
  | None -> (
      let popped = pop_deque t i in
      match popped with Some _ -> popped | None -> Central.pop t.central i)

let pop_fairly t i =
  match Central.pop_fairly t.central i t.own_deque with
  | Some _ as found ->
      withdraw t i;
      tick t i;
      found
  | None -> pop_own_first t i

let pop t i =
  if Central.fair t.central i then pop_fairly t i else pop_own_first t i

let steal t i =
  (* Looks at the worker's own deque: [withdraw] may have pushed a task. *)
  let own = pop_deque t i in
  match own with
  | Some _ -> own
  | None -> (
      let dealt = Deques.steal t.deques ~thief:i ~victim:i in
      appear t i;
      match dealt with
      | Some _ -> dealt
      | None -> (
          let other = Central.steal t.central i in
          match other with
          | Some _ ->
              withdraw t i;
              other
          | None -> None))

let retract t i task =
  let popped = pop_deque t i in
  match popped with
  | None -> false
  | Some newest ->
      if newest == task then true
      else begin
        push_deque t i newest;
        false
      end

let has_work t i =
  if Deques.is_empty t.deques i then Central.has_work t.central else true

let rec give_away t i =
  match pop_deque t i with
  | Some task ->
      Central.submit t.central Hub.New task;
      give_away t i
  | None -> ()

let retire t i =
  disappear t i;
  withdraw t i;
  give_away t i

let make ~workers =
  let dummy = Hub.task ignore in
  let deques = Deques.create ~workers ~dummy in
  let notifier = Hub.notifier () in
  let central = Central.create ~workers ~notifier in
  let vacant = Atomic.make_contended workers in
  let present = Array.make workers false in
  let size i = Deques.size deques i in
  let oldest i = Deques.oldest deques i in
  let own_deque = { Central.size; oldest } in
  let t = { deques; central; vacant; present; own_deque; notifier } in
  {
    Hub.name = "dealing";
    size = workers;
    push = (fun i reason task -> push t i reason task);
    pop = (fun i -> pop t i);
    retract = (fun i task -> retract t i task);
    steal = (fun i -> steal t i);
    waits_for_answer = (fun _ -> false);
    has_work = (fun i -> has_work t i);
    submit = (fun reason task -> Central.submit central reason task);
    submit_to = (fun i _ task -> Central.submit_to central i task);
    enlist = (fun _ -> ());
    retire = (fun i -> retire t i);
    tick = (fun i -> tick t i);
    finished = (fun _ _ -> ());
    blocked = (fun _ _ -> ());
    close = (fun () -> ());
    notifier;
  }

let maker = { Hub.make }
