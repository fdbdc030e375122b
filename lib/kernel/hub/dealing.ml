module Deques = Dromos_deque.Dealing

type 'ctx t = {
  deques : 'ctx Hub.task Deques.t;
  central : 'ctx Central.t;
  vacant : int Atomic.t; (* the workers that are not present *)
  present : bool array;
      (* its worker's: it serves, and has pushed or waited since it came *)
  own_deque : 'ctx Central.own_deque;
  notifier : Hub.notifier;
}

(* Nobody waits at a vacant role, but somebody may come to serve it, and our
   worker may have nothing to do with the hub for long. So one task is kept in
   the open while there are such roles. *)
let deal_to_vacant t i =
  if not (Deques.is_empty t.deques i) then
    if not (Central.has_work t.central) then
      match Deques.oldest t.deques i with
      | Some task -> Central.submit t.central Hub.New task
      | None -> ()

(* After each operation that may have dealt. The receiver announces its sleep
   before it looks into its cell a last time, we deal before we notify. *)
let answered t i =
  let receiver = Deques.dealt t.deques i in
  if receiver >= 0 then t.notifier.notify receiver;
  if Atomic.get t.vacant > 0 then deal_to_vacant t i

(* Only when others see what it pushes, or that it waits: the thread that came
   for a task does not miss one that is pushed just then. *)
let appear t i =
  if not (Array.get t.present i) then begin
    Array.set t.present i true;
    Atomic.decr t.vacant
  end

(* Before it takes its announcement back. *)
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

(* A worker that has found a task elsewhere no longer waits for one; if one came
   instead it is as good as pushed. *)
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

(* What was dealt to it meanwhile it runs itself: pushed, it might be dealt on,
   for ever. *)
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
  (* Its own deque: a task may have come while it withdrew. *)
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
