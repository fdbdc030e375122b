(** The values that the system gives to its attributes where {!Solo} begins.
    These are small, and stay as they are during a run. *)

open Core

val timed : policy -> bool
(** The policy depends on [now()]. No state comes back then, as the time never
    does. *)

val roots : policy -> Relevant.t -> Topology.t -> Surroundings.t list
(** Values for the core and the machine; all draws of a run are equal: 0, 1, or
    the largest. *)

val ranges :
  policy -> Relevant.t -> Topology.t -> int -> (attribute * int list) list
(** [ranges policy relevant threads]: attributes of threads, each with its
    values. Attributes are left out once all combinations of so many threads
    would be too many. No thread is told that it slept for a tick. *)

val all : (attribute * int list) list -> (attribute * int) list list
(** The kinds of threads: each combination of the values. *)

val combinations : int -> 'a list -> 'a list list
(** Each choice of so many threads of these kinds, in no order. *)
