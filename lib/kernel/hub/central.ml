module Queue = Dromos_base.Queue

(* Worker [i]'s own words. The fillers keep the counters of two workers at
   least two cache lines apart, wherever the collector puts the records. *)
type 'ctx lane = {
  inbox : 'ctx Hub.task Queue.t;
  mutable pops : int; (* until the next fair one *)
  mutable turn : int; (* which kind the last fair one was *)
  mutable debt : int; (* oldest tasks to run before one aside *)
  mutable seed : int; (* of the random victims *)
  mutable from_inbox : bool; (* the last pop took something there *)
  _1 : int;
  _2 : int;
  _3 : int;
  _4 : int;
  _5 : int;
  _6 : int;
  _7 : int;
  _8 : int;
  _9 : int;
  _10 : int;
  _11 : int;
  _12 : int;
  _13 : int;
  _14 : int;
  _15 : int;
}

type 'ctx item = Ready of 'ctx Hub.task | Yielding of 'ctx Hub.task

type 'ctx t = {
  shared : 'ctx item Queue.t;
  aside : 'ctx Hub.task Queue.t; (* yielding tasks met by fair pops *)
  lanes : 'ctx lane array;
  notifier : Hub.notifier;
}

type 'ctx own = { size : int -> int; oldest : int -> 'ctx Hub.task option }

let period = 61

let make_lane i =
  let inbox = Queue.create () in
  {
    inbox;
    pops = period;
    turn = 0;
    debt = 0;
    seed = (i + 1) * 0x9E3779B9;
    from_inbox = false;
    _1 = 0;
    _2 = 0;
    _3 = 0;
    _4 = 0;
    _5 = 0;
    _6 = 0;
    _7 = 0;
    _8 = 0;
    _9 = 0;
    _10 = 0;
    _11 = 0;
    _12 = 0;
    _13 = 0;
    _14 = 0;
    _15 = 0;
  }

let create ~workers ~notifier =
  let shared = Queue.create () in
  let aside = Queue.create () in
  let lanes = Array.init workers make_lane in
  { shared; aside; lanes; notifier }

let submit t reason task =
  match reason with
  | Hub.New -> Queue.push t.shared (Ready task)
  | Hub.Unblock -> Queue.push t.shared (Ready task)
  | Hub.Yield -> Queue.push t.shared (Yielding task)
  | Hub.Preempt -> Queue.push t.shared (Yielding task)

let submit_to t i task =
  let lane = Array.get t.lanes i in
  Queue.push lane.inbox task

let fair t i =
  let lane = Array.get t.lanes i in
  if lane.pops > 1 then begin
    lane.pops <- lane.pops - 1;
    false
  end
  else begin
    lane.pops <- period;
    true
  end

(* Whichever kind it is: what is aside came out of the shared queue before what
   is still in it. *)
let pop_shared t =
  match Queue.pop t.aside with
  | Some _ as found -> found
  | None -> (
      match Queue.pop t.shared with
      | None -> None
      | Some item -> (
          match item with Ready task -> Some task | Yielding task -> Some task))

let pop_inbox lane =
  let found = Queue.pop lane.inbox in
  (match found with
  | Some _ -> lane.from_inbox <- true
  | None -> lane.from_inbox <- false);
  found

(* Both in turn: fibers that only this worker may run and that yield all the time
   are to leave the others something. *)
let pop t i =
  let lane = Array.get t.lanes i in
  if lane.from_inbox then begin
    lane.from_inbox <- false;
    match pop_shared t with Some _ as found -> found | None -> pop_inbox lane
  end
  else
    match pop_inbox lane with Some _ as found -> found | None -> pop_shared t

let steal t i =
  match pop_shared t with
  | Some _ as found -> found
  | None ->
      let lane = Array.get t.lanes i in
      Queue.pop lane.inbox

let rec notify_others t i other =
  if other < Array.length t.lanes then begin
    if other <> i then t.notifier.notify other;
    notify_others t i (other + 1)
  end

(* The deque may hold tasks that were there before the yield.

   For a moment the task is in neither queue. A worker that took its last look
   before it sleeps just then has missed it, hence the notification; it costs a
   read for each worker that is awake, every 183rd pop at most. *)
let put_aside t lane own i task =
  if lane.debt = 0 then lane.debt <- own.size i;
  Queue.push t.aside task;
  notify_others t i 0

let pop_ready t lane own i =
  match Queue.pop t.shared with
  | None -> None
  | Some item -> (
      match item with
      | Ready task -> Some task
      | Yielding task ->
          put_aside t lane own i task;
          None)

let pop_aside t lane own i =
  if lane.debt > 0 then begin
    lane.debt <- lane.debt - 1;
    own.oldest i
  end
  else
    match Queue.pop t.aside with
    | None -> None
    | Some _ as found ->
        (* For those that were put aside after it. *)
        lane.debt <- own.size i;
        found

let pop_fairly t i own =
  let lane = Array.get t.lanes i in
  let turn = if lane.turn = 2 then 0 else lane.turn + 1 in
  lane.turn <- turn;
  if turn = 0 then pop_ready t lane own i
  else if turn = 1 then Queue.pop lane.inbox
  else pop_aside t lane own i

let has_work t =
  if Queue.is_empty t.shared then not (Queue.is_empty t.aside) else true

(* Marsaglia's xorshift, on 63 bits. Any choice would be correct, and that is
   what is proved: see proofs/translate on [@choice]. *)
let victim t i =
  let lane = Array.get t.lanes i in
  let x = lane.seed in
  let x =
    ((let x = x lxor (x lsl 13) in
      let x = x lxor (x lsr 7) in
      x lxor (x lsl 17))
    [@choice max_int])
  in
  lane.seed <- x;
  ((x land 0xffff * Array.length t.lanes) lsr 16) [@choice Array.length t.lanes]
