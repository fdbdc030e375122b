module Deques = Dromos_deque.Public

type 'ctx t = {
  deques : 'ctx Hub.task Deques.t;
  central : 'ctx Central.t;
  own_deque : 'ctx Central.own_deque;
}

let push t i reason task =
  match reason with
  | Hub.New -> Deques.push t.deques i task
  | Hub.Unblock -> Deques.push t.deques i task
  | Hub.Yield -> Central.submit t.central reason task
  | Hub.Preempt -> Central.submit t.central reason task

(* Every deque once, the own one too, round the array from [victim] on. A task
   that is in a deque before the call and stays there is found, since a deque's
   steal fails only if the deque is empty. *)
let rec steal_from t i victim left =
  if left = 0 then Central.steal t.central i
  else
    match Deques.steal t.deques ~thief:i ~victim with
    | Some _ as found -> found
    | None ->
        let following = victim + 1 in
        if following = Deques.workers t.deques then steal_from t i 0 (left - 1)
        else steal_from t i following (left - 1)

let steal t i =
  let victim = Central.victim t.central i in
  steal_from t i victim (Deques.workers t.deques)

(* A worker whose own tasks do nothing but yield finds them in the shared queue
   at each pop, so it would never look into the others' deques: it does so at
   every second fair pop. *)
let pop_other t i =
  if Central.fair t.central i then steal t i else Central.pop t.central i

let pop_own_first t i =
  match Deques.pop t.deques i with
  | Some _ as found -> found
  | None -> pop_other t i

let pop t i =
  if Central.fair t.central i then
    match Central.pop_fairly t.central i t.own_deque with
    | Some _ as found -> found
    | None -> pop_own_first t i
  else pop_own_first t i

let retract t i task =
  match Deques.pop t.deques i with
  | None -> false
  | Some newest ->
      if newest == task then true
      else begin
        Deques.push t.deques i newest;
        false
      end

let has_work t i =
  if Deques.is_empty t.deques i then Central.has_work t.central else true

let make ~workers =
  let dummy = Hub.task ignore in
  let deques = Deques.create ~workers ~dummy in
  let notifier = Hub.notifier () in
  let central = Central.create ~workers ~notifier in
  let size i = Deques.size deques i in
  let oldest i = Deques.steal deques ~thief:i ~victim:i in
  let own_deque = { Central.size; oldest } in
  let t = { deques; central; own_deque } in
  {
    Hub.name = "std";
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
    (* Forgets stolen tasks; thieves may go on. *)
    retire = (fun i -> Deques.block deques i);
    tick = (fun _ -> ());
    finished = (fun _ _ -> ());
    blocked = (fun _ _ -> ());
    close = (fun () -> ());
    notifier;
  }

let maker = { Hub.make }
