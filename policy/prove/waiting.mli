(** Bounded waiting: a thread that is ready on a core, and stays there, is
    chosen after a bounded number of schedulings of the core
    (doc/policy/semantics.md).

    Each queue is a {!part}, and one of its ways must hold. In [served_first]
    every [schedule] that finds a thread in the queue takes the front; the queue
    is first in, first out. In [served_in_turn] an attribute of the core counts
    the threads taken elsewhere, up to a limit. In [exempt_only] all threads
    that enter the queue are exempt. A queue in another order has only the last
    way, as latecomers can overtake; so has a queue to which a thread may come
    again before it runs ({!Requeues}). *)

open Dromos_policy_core.Core

(** The bound that a way proves. *)
type gives =
  | Exempt_all  (** no thread of the queue has to be chosen *)
  | Turns of int
      (** a thread is chosen after so many times n schedulings, for the n
          threads on the core when the thread came to the queue *)

type part = {
  queue : state;
  ways : (Obligation.t * gives) list;  (** at least one; the plainest first *)
}

type t = {
  parts : part list;  (** the queues that threads enter *)
  stays : int;
      (** the queues that a thread comes to, one after the other, at most *)
  preempts : (Obligation.t * int) list;
      (** ways to prove that [tick] takes the core from a running thread, each
          with the number of ticks that this takes; perhaps none *)
}

val make : policy -> t
(** @raise Symbolic.Too_many_paths
    @raise Effort.Spent *)
