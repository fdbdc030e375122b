(** Sets of cores, groups, domains or threads whose members are not known.

    Assumptions about the topology: each core of a domain is in one of the
    groups of the domain, and the last domain of a core holds all cores. *)

open Paths

val queue : t -> path -> Term.t -> Dromos_policy_core.Core.state -> set
(** The threads in a queue of that core. *)

val all_cores : t -> set
val cores_of : t -> Dromos_policy_core.Core.ty -> Term.t -> set
val filtered : t -> set

val look : t -> string -> set
(** A set of cores that other handlers change: membership at one observation
    says nothing about the next one. *)

val watched : t -> path -> idle:bool -> path * set
(** One observation of [idle_cores], or of [active_cores] if [idle] is false. A
    core that ends idle was idle at each observation. A core that had a thread
    all along was idle at none. *)

val in_attribute : t -> Term.t -> Dromos_policy_core.Core.attribute -> set
(** The set of cores in an attribute of the system that does not change: each
    read gives the same set. *)

val groups : t -> Term.t -> set
(** The groups of a domain. *)

val in_largest_domain : Term.t -> Term.t
(** The formula that the group belongs to the domain that holds all cores. *)

val in_group : Term.t -> Term.t -> Term.t
(** [in_group g c]: the formula that the core is in the group. *)

val domains : t -> Term.t -> set
(** The domains of a core, smallest first. *)

val opaque : t -> string -> set
(** A set of threads, groups or domains of which nothing is known. *)
