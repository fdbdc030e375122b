(** Which attributes can make a difference to where threads are.

    States that differ only in the others are one state to the explorer. *)

type t

val make : Core.policy -> t

val to_waits : Core.policy -> t
(** To which thread waits and for how long: the orders of all queues count, and
    what [exempt waiting] asks. *)

val late : Core.policy -> Core.event -> t
(** When only this event, [schedule] and the rounds that are granted can still
    come. *)

val kept : t -> Core.attribute -> bool
(** Read by a condition, by a choice of core, or through another that is; or by
    the order of a queue whose threads can be told apart at all. *)

val distinguishing : t -> Core.attribute list
(** Of threads: kept for more than the order of queues. *)

val constants : t -> Core.attribute -> int list
(** Those the attribute is compared with. *)

val assigned : t -> Core.attribute -> bool
(** The policy sets it. *)
