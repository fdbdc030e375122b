(** The few values of an attribute that a search goes through. *)

val first_int : Core.attribute -> int
(** 0 where it does not begin with a number. *)

val can_be : Core.policy -> Core.attribute -> int -> bool
(** by [Loads.bounds] *)

val range :
  Core.policy -> Relevant.t -> Topology.t -> Core.attribute -> int list
(** Members of an enumeration, truth values, loads, the first value and the
    neighbours of constants that it is compared with, at most 4; none that the
    policy never gives ([Loads.bounds]), as runs with it cannot be. *)

val told_apart :
  Core.policy -> Relevant.t -> Topology.t -> Core.attribute -> int list
(** The same, and one more number: an order needs two to tell apart. *)
