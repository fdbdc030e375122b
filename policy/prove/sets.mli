(** Sets whose members are not known: of cores, groups, domains and threads.

    Of the topology is supposed: each core of a domain is in one of its groups,
    and the domains of a core end with one that holds all cores. *)

open Paths

val queue : t -> path -> Term.t -> Dromos_policy_core.Core.state -> set
(** The threads in a queue of that core. *)

val all_cores : t -> set
val cores_of : t -> Dromos_policy_core.Core.ty -> Term.t -> set
val filtered : t -> set

val look : t -> string -> set
(** a set of cores that others change: what one look says does not last *)

val watched : t -> path -> idle:bool -> path * set
(** One look at [idle_cores] ([active_cores]): a core that ends idle was idle at
    each look, and one that had a thread all along at none. *)

val in_attribute : t -> Term.t -> Dromos_policy_core.Core.attribute -> set
(** The cores in an attribute of the system that stands still: the same ones at
    each look. *)

val groups : t -> Term.t -> set
(** of a domain *)

val in_largest_domain : Term.t -> Term.t
(** that a group is of the domain that holds all cores *)

val in_group : Term.t -> Term.t -> Term.t
(** [in_group g c] *)

val domains : t -> Term.t -> set
(** of a core, smallest first *)

val opaque : t -> string -> set
(** threads, groups or domains of which nothing is known *)
