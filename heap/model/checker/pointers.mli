(** Objects are numbers from 1. What a state's pointers tell, whatever the state
    is: [map f s] is [s] with each of them changed. *)

val set : 'a array -> int -> 'a -> 'a array

val iter :
  (('place -> int -> int) -> 's -> 's) -> ('place -> int -> unit) -> 's -> unit
(** Of [map]. *)

type numbers = { order : int array; number : int array }

val breadth_first :
  int -> ((int -> unit) -> unit) -> int list -> (int -> int array) -> numbers
(** Of so many objects those that are reached from the roots, then from these
    others, by their fields: in order, and as which each is met (0: it is not).
*)

val key : 's -> string
(** The same for states that are the same: without functions. *)
