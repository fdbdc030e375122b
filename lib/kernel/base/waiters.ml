(* The states of a slot. The thread of the slot makes every move except the
   moves to Notified. Notifiers make these by compare-and-set, so exactly one
   thread consumes a notification.

   |     from       to         by                      when
   |     Awake      Announced  the slot's thread       [prepare]
   |     Announced  Asleep     the slot's thread       [commit]
   |     Announced  Awake      the slot's thread       [cancel]
   |     Announced  Notified   a notifier              before the thread sleeps
   |     Asleep     Notified   a notifier              the thread sleeps
   |     Notified   Awake      the slot's thread       [cancel], end of [commit]
   |     any        Awake      the slot's thread       [recover]

   A notifier locks the mutex and signals only if the slot is Asleep. *)
type state = Awake | Announced | Asleep | Notified

type slot = {
  state : state Atomic.t;
  mutex : Mutex.t;
  condition : Condition.t;
  mutable held : bool; (* the slot's thread has the mutex; for [recover] *)
}

type t = {
  slots : slot array;
  announced : int Atomic.t;
      (* At least the number of slots in state Announced or Asleep: raised
         before the announcement and lowered after the announcement ends. If
         a notifier reads 0, then a slot that announces later has not yet
         looked for work a second time. *)
  next : int Atomic.t; (* the slot where the next [notify_one] starts *)
}

let make_slot _ =
  let state = Atomic.make_contended Awake in
  let mutex = Mutex.create () in
  let condition = Condition.create () in
  { state; mutex; condition; held = false }

let create size =
  let slots = Array.init size make_slot in
  let announced = Atomic.make_contended 0 in
  let next = Atomic.make_contended 0 in
  { slots; announced; next }

let prepare t i =
  let slot = Array.get t.slots i in
  Atomic.incr t.announced;
  Atomic.set slot.state Announced

let cancel t i =
  let slot = Array.get t.slots i in
  if Atomic.compare_and_set slot.state Announced Awake then begin
    Atomic.decr t.announced;
    false
  end
  else begin
    Atomic.set slot.state Awake;
    true
  end

(* The caller holds the mutex. A notifier takes the same mutex before the
   signal, so no signal falls between the test and the wait. *)
let rec sleep slot =
  match Atomic.get slot.state with
  | Asleep ->
      Condition.wait slot.condition slot.mutex;
      sleep slot
  | _ -> ()

(* No poll point lies between the lock and the first wait: the handler of a
   signal, which may notify this slot, would find the slot Asleep and its own
   thread the holder of the mutex. A notifier that came before the wait has not
   signalled yet, since the mutex is held. *)
let commit t i =
  let slot = Array.get t.slots i in
  Mutex.lock slot.mutex;
  slot.held <- true;
  if Atomic.compare_and_set slot.state Announced Asleep then begin
    Condition.wait slot.condition slot.mutex;
    sleep slot
  end;
  slot.held <- false;
  Mutex.unlock slot.mutex;
  Atomic.set slot.state Awake

let recover t i =
  let slot = Array.get t.slots i in
  if slot.held then begin
    slot.held <- false;
    Mutex.unlock slot.mutex
  end;
  match Atomic.exchange slot.state Awake with
  | Awake -> false
  | Announced ->
      Atomic.decr t.announced;
      false
  | Asleep ->
      Atomic.decr t.announced;
      false
  | Notified -> true

(* The slot's thread holds the mutex from before the slot is Asleep until the thread
   waits, so the thread waits once the notifier has had the mutex. A signal under the
   mutex would wake the thread into a wait for the mutex. *)
let wake slot =
  Mutex.lock slot.mutex;
  Mutex.unlock slot.mutex;
  Condition.signal slot.condition

let notify_slot t slot =
  if Atomic.compare_and_set slot.state Announced Notified then begin
    Atomic.decr t.announced;
    true
  end
  else if Atomic.compare_and_set slot.state Asleep Notified then begin
    Atomic.decr t.announced;
    wake slot;
    true
  end
  else false

let notify t i =
  let slot = Array.get t.slots i in
  match Atomic.get slot.state with
  | Announced -> notify_slot t slot
  | Asleep -> notify_slot t slot
  | _ -> false

(* Tries [left] slots, from [i] on, round the array. *)
let rec notify_from t i left =
  if left = 0 then false
  else if notify t i then true
  else
    let following = i + 1 in
    if following = Array.length t.slots then notify_from t 0 (left - 1)
    else notify_from t following (left - 1)

let notify_one t =
  if Atomic.get t.announced = 0 then false
  else
    let size = Array.length t.slots in
    let start = Atomic.fetch_and_add t.next 1 in
    notify_from t (start mod size) size

let rec notify_upto t i =
  if i > 0 then begin
    ignore (notify t (i - 1));
    notify_upto t (i - 1)
  end

let notify_all t =
  if Atomic.get t.announced > 0 then notify_upto t (Array.length t.slots)

let count t = Atomic.get t.announced
