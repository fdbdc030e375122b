type t = {
  word : int Atomic.t;  (** {!free}, {!held}, or {!wanted} *)
  mutex : Mutex.t;  (** held from the last look at [word] until the sleep *)
  released : Condition.t;
}

let free = 0
let held = 1

(* The lock is held, and some thread sleeps or is about to sleep. *)
let wanted = 2

let create () =
  {
    word = Atomic.make_contended free;
    mutex = Mutex.create ();
    released = Condition.create ();
  }

(* A thread that takes the lock here leaves [wanted], since more threads may
   sleep. Its own release then wakes one more thread, or wakes none in vain. *)
let rec sleep t =
  if Atomic.exchange t.word wanted <> free then begin
    Condition.wait t.released t.mutex;
    sleep t
  end

(* A section is shorter than a sleep, unless its thread was descheduled. *)
let tries = 64

let rec contend t left =
  if left = 0 then begin
    Mutex.lock t.mutex;
    sleep t;
    Mutex.unlock t.mutex
  end
  else begin
    Domain.cpu_relax ();
    if
      Atomic.get t.word <> free || not (Atomic.compare_and_set t.word free held)
    then contend t (left - 1)
  end

let lock t =
  if not (Atomic.compare_and_set t.word free held) then contend t tries

let unlock t =
  if Atomic.exchange t.word free = wanted then begin
    Mutex.lock t.mutex;
    Condition.signal t.released;
    Mutex.unlock t.mutex
  end
