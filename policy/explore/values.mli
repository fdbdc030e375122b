(** The few values of an attribute tried by a search. *)

val first_int : Core.attribute -> int
(** The initial value of an integer attribute, else -1 for a core, a group or a
    domain, and 0 for all other types. *)

val can_be : Core.policy -> Core.attribute -> int -> bool
(** True if the value is within [Loads.bounds]. *)

val range :
  Core.policy -> Relevant.t -> Topology.t -> Core.attribute -> int list
(** The members of an enumeration, the booleans, a few loads, or the initial
    value and the neighbours of constants compared with the attribute, at most
    4; for an attribute of the system also a few cores, groups, domains or sets
    of cores. Values outside [Loads.bounds] are left out, as no run has them. *)

val told_apart :
  Core.policy -> Relevant.t -> Topology.t -> Core.attribute -> int list
(** The same values and one more number: an order can tell threads apart only if
    two values are tried. *)
