(** Sets of cores, groups, domains or threads whose members are not known.

    Assumptions about the topology: each core of a domain is in one of the
    groups of the domain, and the last domain of a core holds all cores. *)

open Types

val queue : t -> path -> Term.t -> Dromos_policy_core.Core.state -> set
(** The threads in a queue of that core. *)

val all_cores : t -> set
val cores_of : t -> Dromos_policy_core.Core.ty -> Term.t -> set
val filtered : t -> set

val look : t -> string -> set
(** A set of cores changed by handlers at any time: one observation says nothing
    about the next. *)

val watched : t -> path -> idle:bool -> path * set
(** An observation of [idle_cores], or of [active_cores] if [idle] is false. A
    core that ends idle was idle at each observation. A core with a thread all
    along was idle at none. A core whose lock is held is idle if its word is 0.
*)

val in_attribute : t -> Term.t -> Dromos_policy_core.Core.attribute -> set
(** The set of cores in an unchanging attribute of the system: each read gives
    the same set. *)

val groups : t -> Term.t -> set
(** The groups of a domain. *)

val in_largest_domain : Term.t -> Term.t
(** The formula: the group belongs to the domain of all cores. *)

val in_group : Term.t -> Term.t -> Term.t
(** [in_group g c], the formula: the core is in the group. *)

val domains : t -> Term.t -> set
(** The domains of a core, smallest first. *)

val opaque : t -> string -> set
(** A set of threads, groups or domains without known facts. *)
