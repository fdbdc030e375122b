(* Open this module in front of a copy of a kernel source: every access to an
   atomic becomes a step of the model checker, and the model checker can explore
   blocking.

   A plain access is part of the step before it. For memory used by one thread,
   or handed over through an atomic, the model is sound; for memory with racy
   reads, see [Traced_slots]. *)

module Atomic = Dscheck.TracedAtomic

(* A thread that would have to wait for a mutex gives up, and the whole
   execution is dropped. The search also explores an execution in which the
   thread comes later, since the two threads compete for the same cell. *)
exception Would_wait

type sleeper = { mutable woken : bool }
type _ Effect.t += Sleep : sleeper -> unit Effect.t

module Mutex = struct
  type t = bool Atomic.t

  let create () = Atomic.make false

  let lock m =
    if not (Atomic.compare_and_set m false true) then raise Would_wait

  let unlock m = Atomic.set m false
end

(* A sleeping thread leaves the exploration; if it was woken, its rest runs
   after the other threads (see [Explore]). A signal without a waiter is lost,
   as in reality. *)
module Condition = struct
  type t = sleeper list Atomic.t

  let create () = Atomic.make []

  let wait c m =
    let sleeper = { woken = false } in
    Atomic.set c (sleeper :: Atomic.get c);
    Mutex.unlock m;
    Effect.perform (Sleep sleeper);
    Mutex.lock m

  let signal c =
    match Atomic.get c with
    | [] -> ()
    | sleeper :: others ->
        Atomic.set c others;
        sleeper.woken <- true
end
