module Public = Dromos_deque.Public
module Bounded = Dromos_deque.Bounded

type 'ctx deques =
  | Growing of 'ctx Hub.task Public.t
  | Fixed of 'ctx Hub.task Bounded.t array

type 'ctx parts = { name : string; deques : 'ctx deques }

type 'ctx t = {
  workers : int;
  deques : 'ctx deques;
  central : 'ctx Central.t;
  own_deque : 'ctx Central.own_deque;
}

(* {1 One deque} *)

(* Returns [false] if the deque is full. *)
let push_deque deques i task =
  match deques with
  | Growing deques ->
      Public.push deques i task;
      true
  | Fixed deques -> Bounded.push (Array.get deques i) task

let pop_deque deques i =
  match deques with
  | Growing deques -> Public.pop deques i
  | Fixed deques -> Bounded.pop (Array.get deques i)

let steal_deque deques i =
  match deques with
  | Growing deques -> Public.steal deques ~thief:i ~victim:i
  | Fixed deques -> Bounded.steal (Array.get deques i)

let deque_size deques i =
  match deques with
  | Growing deques -> Public.size deques i
  | Fixed deques -> Bounded.size (Array.get deques i)

let deque_is_empty deques i =
  match deques with
  | Growing deques -> Public.is_empty deques i
  | Fixed deques -> Bounded.is_empty (Array.get deques i)

(* A deque forgets stolen tasks at its owner's next operation. After the
   owner has retired, the next operation may be far away. *)
let sweep_deque deques i =
  match deques with
  | Growing deques -> Public.block deques i
  | Fixed deques -> Bounded.sweep (Array.get deques i)

(* {1 The hub} *)

let push_own t i reason task =
  if not (push_deque t.deques i task) then Central.submit t.central reason task

let push t i reason task =
  match reason with
  | Hub.New -> push_own t i reason task
  | Hub.Unblock -> push_own t i reason task
  | Hub.Yield -> Central.submit t.central reason task
  | Hub.Preempt -> Central.submit t.central reason task

(* Tries every deque once, including the worker's own, round the array from
   [victim] on. The loop finds a task that is in a deque before the call and
   stays there, since a deque's steal fails only if the deque is empty. *)
let rec steal_from t i victim left =
  if left = 0 then Central.steal t.central i
  else
    match steal_deque t.deques victim with
    | Some _ as found -> found
    | None ->
        let following = victim + 1 in
        if following = t.workers then steal_from t i 0 (left - 1)
        else steal_from t i following (left - 1)

let steal t i =
  let victim = Central.victim t.central i in
  steal_from t i victim t.workers

(* A worker whose own tasks only yield finds a task in the shared queue at
   each pop, and would never look into the deques of other workers. Therefore
   the worker looks into these deques at every second fair pop. *)
let pop_other t i =
  if Central.fair t.central i then steal t i else Central.pop t.central i

let pop_own_first t i =
  match pop_deque t.deques i with
  | Some _ as found -> found
  | None -> pop_other t i

let pop t i =
  if Central.fair t.central i then
    match Central.pop_fairly t.central i t.own_deque with
    | Some _ as found -> found
    | None -> pop_own_first t i
  else pop_own_first t i

let retract t i task =
  match pop_deque t.deques i with
  | None -> false
  | Some newest ->
      if newest == task then true
      else begin
        (* The deque has room: [pop_deque] has just made room, and only this
           worker pushes. *)
        ignore (push_deque t.deques i newest);
        false
      end

let has_work t i =
  if deque_is_empty t.deques i then Central.has_work t.central else true

let make ~workers (parts : 'ctx parts) =
  let deques = parts.deques in
  let notifier = Hub.notifier () in
  let central = Central.create ~workers ~notifier in
  let size i = deque_size deques i in
  let oldest i = steal_deque deques i in
  let own_deque = { Central.size; oldest } in
  let t = { workers; deques; central; own_deque } in
  {
    Hub.name = parts.name;
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
    retire = (fun i -> sweep_deque deques i);
    tick = (fun _ -> ());
    finished = (fun _ _ -> ());
    blocked = (fun _ _ -> ());
    close = (fun () -> ());
    notifier;
  }
