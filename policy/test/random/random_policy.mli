(** Whole policies drawn at random, as text, that pass all checks of the front
    end: so every back end has to make the same of them.

    Each is Listing 1 of the paper with other parts in its places: queues and
    their orders, attributes and loads, what the filters compare, what is
    selected, how often and until when, where threads are put, when balancing
    happens and for whom, groups, exemptions. A policy is drawn more sensible or
    less, so that many are right and many are not. Sources: the shipped
    policies, and what is known to be wrong with schedulers (Lozi et al., "The
    Linux scheduler: a decade of wasted cores", EuroSys 2016). *)

open Dromos_policy_core

val text : ?idle:bool -> Random.State.t -> name:string -> string
(** Laid out as [dromos policy fmt] does it. [idle]: [schedule] may leave a core
    without a running thread though some are ready; such programs do not end. *)

val policy : string -> Core.policy
(** Of a text, or of any other policy's. Raises [Failure] with the faults that
    the front end finds in it *)
