(** Circular arrays: item number [i] lives in slot [i mod length], and the
    length is a power of two. Slots are plain memory; the deque decides which
    thread may touch which slot at which time.

    {b Checked.}
    - proved (proofs/deque/slots.v): all;
    - tested (test/deque): all. *)

val make : least:int -> 'a -> 'a array
(** [make ~least dummy] is an array of at least [least] slots, and at least one
    slot, all holding [dummy]. *)

val get : 'a array -> int -> 'a
val set : 'a array -> int -> 'a -> unit

val clear : 'a array -> 'a -> int -> int -> unit
(** [clear slots dummy i j] writes [dummy] into the slots of items [i .. j - 1].
*)

val resize : 'a array -> 'a -> int -> int -> int -> 'a array
(** [resize slots dummy i j length] is a new array of length [length], a power
    of two, with the items [i .. j - 1], which must fit. *)
