module Queue = Dromos_base.Queue

(* The words of worker [i] alone. lib/kernel/README.md explains the fillers. *)
type 'ctx local = {
  inbox : 'ctx Hub.task Queue.t;
  mutable pops : int; (* number of pops until the next fair pop *)
  mutable turn : int;
      (* source of the last fair pop: 0 shared queue, 1 inbox, 2 deferred
         tasks *)
  mutable older : int;
      (* tasks of the deque to run before the next deferred task *)
  mutable seed : int; (* state of the random victims *)
  mutable from_inbox : bool; (* the last [pop] took a task from the inbox *)
  _1 : int; _2 : int; _3 : int; _4 : int; _5 : int; _6 : int; _7 : int; _8 : int;
  _9 : int; _10 : int; _11 : int; _12 : int; _13 : int; _14 : int; _15 : int;
}
[@@ocamlformat "disable"]

type 'ctx item = Ready of 'ctx Hub.task | Yielding of 'ctx Hub.task

type 'ctx t = {
  shared : 'ctx item Queue.t;
  deferred : 'ctx Hub.task Queue.t;
      (* yielding tasks that fair pops have found *)
  locals : 'ctx local array;
  notifier : Hub.notifier;
}

type 'ctx own_deque = {
  size : int -> int;
  oldest : int -> 'ctx Hub.task option;
}

let period = 61

let make_local i =
  let inbox = Queue.create () in
  {
    inbox;
    pops = period;
    turn = 0;
    older = 0;
    seed = (i + 1) * 0x9E3779B9;
    from_inbox = false;
    _1 = 0; _2 = 0; _3 = 0; _4 = 0; _5 = 0; _6 = 0; _7 = 0; _8 = 0;
    _9 = 0; _10 = 0; _11 = 0; _12 = 0; _13 = 0; _14 = 0; _15 = 0;
  }
[@@ocamlformat "disable"]

let create ~workers ~notifier =
  let shared = Queue.create () in
  let deferred = Queue.create () in
  let locals = Array.init workers make_local in
  { shared; deferred; locals; notifier }

let submit t reason task =
  match reason with
  | Hub.New -> Queue.push t.shared (Ready task)
  | Hub.Unblock -> Queue.push t.shared (Ready task)
  | Hub.Yield -> Queue.push t.shared (Yielding task)
  | Hub.Preempt -> Queue.push t.shared (Yielding task)

let submit_to t i task =
  let local = Array.get t.locals i in
  Queue.push local.inbox task

let fair t i =
  let local = Array.get t.locals i in
  if local.pops > 1 then begin
    local.pops <- local.pops - 1;
    false
  end
  else begin
    local.pops <- period;
    true
  end

(* Takes a task of either kind. A deferred task was taken from the shared
   queue earlier than the tasks that are still in the queue, so it comes
   first. *)
let pop_shared t =
  match Queue.pop t.deferred with
  | Some _ as found -> found
  | None -> (
      match Queue.pop t.shared with
      | None -> None
      | Some item -> (
          match item with Ready task -> Some task | Yielding task -> Some task))

let pop_inbox local =
  let found = Queue.pop local.inbox in
  (match found with
  | Some _ -> local.from_inbox <- true
  | None -> local.from_inbox <- false);
  found

(* Alternates between the inbox and the shared queue. Otherwise fibers that
   only this worker may run, and that yield all the time, would leave no turn
   to other tasks. *)
let pop t i =
  let local = Array.get t.locals i in
  if local.from_inbox then begin
    local.from_inbox <- false;
    match pop_shared t with Some _ as found -> found | None -> pop_inbox local
  end
  else
    match pop_inbox local with Some _ as found -> found | None -> pop_shared t

let steal t i =
  match pop_shared t with
  | Some _ as found -> found
  | None ->
      let local = Array.get t.locals i in
      Queue.pop local.inbox

let rec notify_others t i other =
  if other < Array.length t.locals then begin
    if other <> i then t.notifier.notify other;
    notify_others t i (other + 1)
  end

(* The deque may hold tasks that were there before the yield, so [older]
   counts them.

   For a moment the task is in neither queue. A worker that takes its last
   look before a sleep at this moment misses the task, so [defer] notifies
   all workers. The cost is one read for each awake worker, every 183rd pop
   at most. *)
let defer t local own_deque i task =
  if local.older = 0 then local.older <- own_deque.size i;
  Queue.push t.deferred task;
  notify_others t i 0

let pop_ready t local own_deque i =
  match Queue.pop t.shared with
  | None -> None
  | Some item -> (
      match item with
      | Ready task -> Some task
      | Yielding task ->
          defer t local own_deque i task;
          None)

let pop_deferred t local own_deque i =
  if local.older > 0 then begin
    local.older <- local.older - 1;
    own_deque.oldest i
  end
  else
    match Queue.pop t.deferred with
    | None -> None
    | Some _ as found ->
        (* [older] applies to the tasks that were deferred later. *)
        local.older <- own_deque.size i;
        found

let pop_fairly t i own_deque =
  let local = Array.get t.locals i in
  let turn = if local.turn = 2 then 0 else local.turn + 1 in
  local.turn <- turn;
  if turn = 0 then pop_ready t local own_deque i
  else if turn = 1 then Queue.pop local.inbox
  else pop_deferred t local own_deque i

let has_work t =
  if Queue.is_empty t.shared then not (Queue.is_empty t.deferred) else true

(* Marsaglia's xorshift, on 63 bits. The proof covers every choice of a
   victim: proofs/translate explains [@choice]. *)
let victim t i =
  let local = Array.get t.locals i in
  let x = local.seed in
  let x =
    ((let x = x lxor (x lsl 13) in
      let x = x lxor (x lsr 7) in
      x lxor (x lsl 17))
    [@choice max_int])
  in
  local.seed <- x;
  ((x land 0xffff * Array.length t.locals)
  lsr 16)
  [@choice Array.length t.locals]
