(** Bounded waiting: a thread that is ready on a core, and stays there, is
    chosen after a bounded number of schedulings of the core
    (doc/policy/semantics.md).

    Each queue is a {!part}, and one of the ways of the part must hold:
    - [served_first]: every [schedule] that finds a thread in the queue takes
      the front, and the queue is first in, first out;
    - [served_in_turn]: an attribute of the core counts the threads that are
      taken elsewhere, up to a limit;
    - [exempt_only]: all threads that enter the queue are exempt: an
      [exempt waiting] of the policy lets them wait for ever.

    A queue in another order has only the last way, as latecomers can overtake.
    The same holds for a queue to which a thread may come again before the
    thread runs ({!Requeues}). *)

open Dromos_policy_core.Core

(** The bound that a way proves. *)
type gives =
  | Exempt_all  (** each thread of the queue is exempt and may wait for ever *)
  | Turns of int
      (** a thread is chosen after this number times n schedulings, where n is
          the number of threads on the core when the thread came to the queue *)

type part = {
  queue : state;
  ways : (Obligation.t * gives) list;  (** at least one; the plainest first *)
}

(** Why steals of a waiting thread come to an end, while no thread comes, wakes,
    blocks or ends. *)
type levels = By_count | By_load

type steals =
  | Nothing_is_stolen
  | Level of (Obligation.t * levels) list
      (** the ways to prove that the steals level the cores. The list may be
          empty *)

type t = {
  parts : part list;  (** the queues that threads enter *)
  stays : int;
      (** the most queues to which a thread comes, one after the other *)
  preempts : (Obligation.t * int) list;
      (** the ways to prove that [tick] takes the core from a running thread,
          each with the number of ticks until then. The list may be empty *)
  steals : steals;
}

val make : policy -> t
(** @raise Symbolic.Too_many_paths
    @raise Effort.Spent *)
