module Deques = Dromos_deque.Private_

(* The words of worker [i] alone, as a thief. lib/kernel/README.md explains
   the fillers. *)
type thief = {
  mutable victim : int; (* the worker that the thief asks *)
  mutable misses : int; (* failed steals since the last task *)
  mutable must_retry : bool; (* the thief must ask again before it sleeps *)
  _0 : int; _1 : int; _2 : int; _3 : int; _4 : int; _5 : int; _6 : int; _7 : int;
  _8 : int; _9 : int; _10 : int; _11 : int; _12 : int; _13 : int; _14 : int; _15 : int;
}
[@@ocamlformat "disable"]

type 'ctx t = {
  deques : 'ctx Hub.task Deques.t;
  thieves : thief array;
  wake_masks : int Atomic.t array;
      (* [wake_masks.(v)] is the set of thieves that worker [v] has to
         notify: worker [j] is bit [j mod bits]. Thieves add themselves, and
         [v] empties the set. *)
  central : 'ctx Central.t;
  own_deque : 'ctx Central.own_deque;
  notifier : Hub.notifier;
}

let bits = 62
let bit j = 1 lsl (j mod bits)

(* The number of failed steals that a request stays with one victim. *)
let retry_period = 16

(* A thief with more failed steals marks its victims and may sleep. *)
let spin_limit = 64

let make_thief i =
  {
    victim = i;
    misses = 0;
    must_retry = false;
    _0 = 0; _1 = 0; _2 = 0; _3 = 0; _4 = 0; _5 = 0; _6 = 0; _7 = 0;
    _8 = 0; _9 = 0; _10 = 0; _11 = 0; _12 = 0; _13 = 0; _14 = 0; _15 = 0;
  }
[@@ocamlformat "disable"]

(* {1 The victim} *)

let rec notify_marked t marked j =
  if j < Deques.workers t.deques then begin
    if marked land bit j <> 0 then t.notifier.notify j;
    notify_marked t marked (j + 1)
  end

(* Called after each operation that may have answered a thief. The thief
   marks the victim before it looks for the answer a last time, and the
   victim answers before it reads its mask. Therefore the thief sees the
   answer or the victim sees the mark. *)
let answered t i =
  let wake_mask = Array.get t.wake_masks i in
  if Atomic.get wake_mask <> 0 then
    let marked = Atomic.exchange wake_mask 0 in
    notify_marked t marked 0

(* A worker that has found a task elsewhere, or no longer needs a task,
   withdraws its request. If a victim has given it a task, the worker pushes
   the task. *)
let withdraw t i =
  if Deques.waits_for_answer t.deques i then
    match Deques.withdraw t.deques i with
    | Some task -> Deques.push t.deques i task
    | None -> ()

let push_own t i task =
  withdraw t i;
  Deques.push t.deques i task;
  answered t i

let push t i reason task =
  match reason with
  | Hub.New -> push_own t i task
  | Hub.Unblock -> push_own t i task
  | Hub.Yield -> Central.submit t.central reason task
  | Hub.Preempt -> Central.submit t.central reason task

let tick t i =
  Deques.tick t.deques i;
  answered t i

let pop_own_first t i =
  withdraw t i;
  let popped = Deques.pop t.deques i in
  answered t i;
  match popped with Some _ -> popped | None -> Central.pop t.central i

let pop_fairly t i =
  match Central.pop_fairly t.central i t.own_deque with
  | Some _ as found ->
      tick t i;
      found
  | None -> pop_own_first t i

let pop t i =
  if Central.fair t.central i then pop_fairly t i else pop_own_first t i

(* {1 The thief} *)

(* The first worker that has a task, round the array from [victim] on, or
   [thief] if no worker has a task. *)
let rec promising t thief victim left =
  if left = 0 then thief
  else if victim <> thief && Deques.may_have t.deques victim then victim
  else
    let following = victim + 1 in
    if following = Deques.workers t.deques then promising t thief 0 (left - 1)
    else promising t thief following (left - 1)

let choose t i =
  let start = Central.victim t.central i in
  promising t i start (Deques.workers t.deques)

let rec mark wake_mask mine =
  let seen = Atomic.get wake_mask in
  if seen land mine = 0 then
    if not (Atomic.compare_and_set wake_mask seen (seen lor mine)) then
      mark wake_mask mine

let rec mark_all t i victim =
  if victim < Deques.workers t.deques then begin
    if victim <> i && Deques.may_have t.deques victim then begin
      let wake_mask = Array.get t.wake_masks victim in
      mark wake_mask (bit i)
    end;
    mark_all t i (victim + 1)
  end

(* Asks a victim, asks another victim, or collects the answer. *)
let ask t i thief =
  if Deques.waits_for_answer t.deques i then begin
    if thief.misses land (retry_period - 1) = 0 then begin
      let other = choose t i in
      if other <> i then thief.victim <- other
    end
  end
  else thief.victim <- choose t i;
  if thief.victim = i then None
  else Deques.steal t.deques ~thief:i ~victim:thief.victim

let found thief task =
  thief.misses <- 0;
  thief.must_retry <- false;
  task

(* A thief that has failed more than [spin_limit] times adds itself to the
   wake mask of every worker that has a task, and then asks again. From then
   on, each operation of such a worker notifies the thief. Another worker
   gets its first task by a push, and after a push the pool notifies. *)
let steal_from_others t i thief =
  thief.misses <- thief.misses + 1;
  if thief.misses > spin_limit then mark_all t i 0;
  let task = ask t i thief in
  match task with
  | Some _ -> found thief task
  | None ->
      thief.must_retry <- thief.misses <= spin_limit && thief.victim <> i;
      None

let steal t i =
  let thief = Array.get t.thieves i in
  (* Looks at the worker's own deque: [withdraw] may have pushed a task. *)
  let own = Deques.pop t.deques i in
  match own with
  | Some _ -> found thief own
  | None -> (
      let stolen = steal_from_others t i thief in
      match stolen with
      | Some _ -> stolen
      | None -> (
          let other = Central.steal t.central i in
          match other with
          | Some _ ->
              withdraw t i;
              found thief other
          | None -> None))

let waits_for_answer t i = (Array.get t.thieves i).must_retry

let retract t i task =
  let popped = Deques.pop t.deques i in
  answered t i;
  match popped with
  | None -> false
  | Some newest ->
      if newest == task then true
      else begin
        Deques.push t.deques i newest;
        false
      end

let has_work t i =
  if Deques.is_empty t.deques i then Central.has_work t.central else true

let rec withdraw_for_good t i =
  withdraw t i;
  if Deques.waits_for_answer t.deques i then begin
    Domain.cpu_relax ();
    withdraw_for_good t i
  end

let rec give_away t i =
  match Deques.pop t.deques i with
  | Some task ->
      Central.submit t.central Hub.New task;
      give_away t i
  | None -> ()

let retire t i =
  withdraw_for_good t i;
  give_away t i;
  Deques.block t.deques i;
  answered t i

let make ~workers =
  let dummy = Hub.task ignore in
  let deques = Deques.create ~workers ~dummy in
  let thieves = Array.init workers make_thief in
  let wake_masks = Array.init workers (fun _ -> Atomic.make_contended 0) in
  let notifier = Hub.notifier () in
  let central = Central.create ~workers ~notifier in
  let size i = Deques.size deques i in
  let oldest i = Deques.oldest deques i in
  let own_deque = { Central.size; oldest } in
  let t = { deques; thieves; wake_masks; central; own_deque; notifier } in
  {
    Hub.name = "private";
    size = workers;
    push = (fun i reason task -> push t i reason task);
    pop = (fun i -> pop t i);
    retract = (fun i task -> retract t i task);
    steal = (fun i -> steal t i);
    waits_for_answer = (fun i -> waits_for_answer t i);
    has_work = (fun i -> has_work t i);
    submit = (fun reason task -> Central.submit central reason task);
    submit_to = (fun i _ task -> Central.submit_to central i task);
    enlist = (fun i -> Deques.unblock deques i);
    retire = (fun i -> retire t i);
    tick = (fun i -> tick t i);
    finished = (fun _ _ -> ());
    blocked = (fun _ _ -> ());
    close = (fun () -> ());
    notifier;
  }

let maker = { Hub.make }
