(** The attributes that can make a difference to where threads are. States that
    differ only in the remaining attributes are one state to the explorer. *)

type t

val make : Core.policy -> t

val to_waits : Core.policy -> t
(** The attributes that can make a difference to which thread waits and for how
    long: the orders of all queues count, and the conditions of
    [exempt waiting]. *)

val late : Core.policy -> Core.event -> t
(** The relevant attributes when only this event, [schedule] and the granted
    rounds can still come. *)

val kept : t -> Core.attribute -> bool
(** True if a condition or a choice of a core reads the attribute, directly or
    through another kept attribute; or if a queue is ordered by the attribute
    and some attribute distinguishes threads. *)

val distinguishing : t -> Core.attribute list
(** The attributes of threads that are kept for more than the order of queues.
*)

val constants : t -> Core.attribute -> int list
(** The constants compared with the attribute. *)

val assigned : t -> Core.attribute -> bool
(** True if the policy sets the attribute. *)
