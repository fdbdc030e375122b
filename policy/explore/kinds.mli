(** The values of the system's attributes where {!Solo} begins. The values are
    small, and do not change during a run. *)

open Core

val timed : policy -> bool
(** True if the policy depends on [now()]. No state then comes back, as the time
    never does. *)

val roots : policy -> Relevant.t -> Topology.t -> Surroundings.t list
(** Values for the core and the machine. All draws of [random] in one run are
    equal: 0, 1 or the largest. *)

val ranges :
  policy -> Relevant.t -> Topology.t -> int -> (attribute * int list) list
(** [ranges policy relevant topology threads]: attributes of threads, each with
    its values. Attributes are left out where the combinations for this number
    of threads would be too many. [sleep_time] is left out: no thread has slept
    for a tick. *)

val all : (attribute * int list) list -> (attribute * int) list list
(** The kinds of threads: each combination of the values. *)

val combinations : int -> 'a list -> 'a list list
(** Each multiset of this number of threads of these kinds. *)
