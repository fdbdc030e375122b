module Deque = Dromos_deque.Bounded

let capacity = 256

type 'ctx t = {
  deques : 'ctx Hub.task Deque.t array;
  central : 'ctx Central.t;
  own_deque : 'ctx Central.own_deque;
}

let push t i reason task =
  match reason with
  | Hub.New ->
      let deque = Array.get t.deques i in
      if not (Deque.push deque task) then Central.submit t.central reason task
  | Hub.Unblock ->
      let deque = Array.get t.deques i in
      if not (Deque.push deque task) then Central.submit t.central reason task
  | Hub.Yield -> Central.submit t.central reason task
  | Hub.Preempt -> Central.submit t.central reason task

(* Every deque once, the own one too, round the array from [victim] on. A task
   that is in a deque before the call and stays there is found, since a deque's
   steal fails only if the deque is empty. *)
let rec steal_from t i victim left =
  if left = 0 then Central.steal t.central i
  else
    let deque = Array.get t.deques victim in
    match Deque.steal deque with
    | Some _ as found -> found
    | None ->
        let following = victim + 1 in
        if following = Array.length t.deques then steal_from t i 0 (left - 1)
        else steal_from t i following (left - 1)

let steal t i =
  let victim = Central.victim t.central i in
  steal_from t i victim (Array.length t.deques)

(* See Std. *)
let pop_other t i =
  if Central.fair t.central i then steal t i else Central.pop t.central i

let pop_own_first t i =
  let deque = Array.get t.deques i in
  match Deque.pop deque with Some _ as found -> found | None -> pop_other t i

let pop t i =
  if Central.fair t.central i then
    match Central.pop_fairly t.central i t.own_deque with
    | Some _ as found -> found
    | None -> pop_own_first t i
  else pop_own_first t i

let retract t i task =
  let deque = Array.get t.deques i in
  match Deque.pop deque with
  | None -> false
  | Some newest ->
      if newest == task then true
      else begin
        (* There is room: it was there a moment ago, and only we push. *)
        ignore (Deque.push deque newest);
        false
      end

let has_work t i =
  let deque = Array.get t.deques i in
  if Deque.is_empty deque then Central.has_work t.central else true

(* The deque forgets stolen tasks at its owner's next operation; here there may
   be none for long. *)
let retire t i =
  let deque = Array.get t.deques i in
  Deque.sweep deque

let make ~workers =
  let dummy = Hub.task ignore in
  let deques = Array.init workers (fun _ -> Deque.create ~capacity ~dummy) in
  let notifier = Hub.notifier () in
  let central = Central.create ~workers ~notifier in
  let own_deque =
    {
      Central.size = (fun i -> Deque.size (Array.get deques i));
      oldest = (fun i -> Deque.steal (Array.get deques i));
    }
  in
  let t = { deques; central; own_deque } in
  {
    Hub.name = "hybrid";
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
    tick = (fun _ -> ());
    finished = (fun _ _ -> ());
    blocked = (fun _ _ -> ());
    close = (fun () -> ());
    notifier;
  }

let maker = { Hub.make }
