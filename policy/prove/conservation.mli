(** No thread is lost, doubled or run by two cores. Every path of a handler
    moves its target as often as doc/policy/semantics.md says, and
    [steal_thread] moves the candidate at most once, to the destination. The
    steps between (fragments, locks, the list of stolen threads) belong to the
    machine and are the same for all policies. Each obligation says that a path
    with other moves is impossible. *)

open Dromos_policy_core.Core

val obligations : policy -> Obligation.t list
(** @raise Symbolic.Too_many_paths *)

val schedule_runs : policy -> handler -> Obligation.t
(** The obligation that [schedule] runs a thread wherever a thread is ready. *)

val self : Term.t
val target : Term.t

val at_schedule : policy -> Symbolic.t * Symbolic.path
(** The state in which [schedule] begins. The lock of {!self} is held, so the
    words of {!self} are exact; the slot is empty, and a thread is ready. *)
