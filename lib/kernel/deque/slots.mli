(** Circular arrays: item number [i] lives in slot [i mod length], the length
    being a power of two. Plain memory; who may touch which slot when is for the
    deque to say.

    {b Checked.}
    - proved (proofs/deque/slots.v): all;
    - tested (test/deque): all. *)

val make : least:int -> 'a -> 'a array
(** [make ~least dummy]: at least [least] slots, at least one, all holding
    [dummy]. *)

val get : 'a array -> int -> 'a
val set : 'a array -> int -> 'a -> unit

val clear : 'a array -> 'a -> int -> int -> unit
(** [clear slots dummy i j] fills the slots of items [i .. j - 1]. *)

val resize : 'a array -> 'a -> int -> int -> int -> 'a array
(** [resize slots dummy i j length]: a new array of that length, a power of two,
    with the items [i .. j - 1], which must fit. *)
