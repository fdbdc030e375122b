(** Whole policies drawn at random, as text, that pass all checks of the front
    end. Every back end must give each policy the same meaning.

    Each policy is Listing 1 of the paper with parts replaced: queues and their
    orders, attributes and loads, comparisons in filters, selection, the number
    of repetitions and their end, placement of threads, the times of balancing
    and its cores, groups, exemptions. A policy is drawn more sensible or less,
    so that many are right and many are wrong. Sources: the shipped policies,
    and known faults of schedulers (Lozi et al., "The Linux scheduler: a decade
    of wasted cores", EuroSys 2016). *)

open Dromos_policy_core

val text : ?idle:bool -> Random.State.t -> name:string -> string
(** The layout is the layout of [dromos policy fmt]. [idle]: [schedule] may
    leave a core without a running thread though some are ready. Such programs
    do not end. *)

val policy : string -> Core.policy
(** Parses and elaborates a text, of a random policy or any other.

    @raise Failure with the faults found by the front end. *)
