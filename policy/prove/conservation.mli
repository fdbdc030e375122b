(** No thread is lost, doubled or run by two cores: every path of a handler
    moves its target as often as doc/policy/semantics.md says, and
    [steal_thread] moves the candidate at most once, to the destination. What
    lies between (fragments, locks, the list of stolen threads) is the
    machine's, and the same for all policies. A path that moves otherwise must
    be impossible: that is the obligation. *)

open Dromos_policy_core.Core

val obligations : policy -> Obligation.t list
(** @raise Symbolic.Too_many_paths *)

val schedule_runs : policy -> handler -> Obligation.t
(** of [schedule]: it runs a thread wherever one is ready *)

val self : Term.t
val target : Term.t

val at_schedule : policy -> Symbolic.t * Symbolic.path
(** Where [schedule] begins: the lock of {!self} is held, so its words say what
    is there; its slot is empty, and a thread is ready. *)
