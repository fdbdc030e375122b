(** Pointers of a state, for any type of states. Objects are numbers from 1.
    Each function takes [map], where [map f s] is [s] with [f] applied to every
    pointer. *)

val set : 'a array -> int -> 'a -> 'a array

val iter :
  (('place -> int -> int) -> 's -> 's) -> ('place -> int -> unit) -> 's -> unit
(** [iter map f s] calls [f] for every pointer that [map] visits. *)

type numbers = { order : int array; number : int array }

val breadth_first :
  int -> ((int -> unit) -> unit) -> int list -> (int -> int array) -> numbers
(** [breadth_first n roots others fields] visits objects [1] to [n]: first those
    reachable from [roots], then those reachable from [others]. [order] has the
    objects in the order of the visit; [number] has the number that the visit
    gives each object, or 0 for an object that is not reachable. *)

val key : 's -> string
(** Equal keys for equal states. The state must contain no functions. *)
