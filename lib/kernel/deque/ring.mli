(** A growable double-ended queue for one thread: what a worker keeps its tasks
    in when nobody else may look.

    All operations are plain memory accesses, constant time (amortized for
    {!push}); taken values are forgotten at once. The owner's indices sit on a
    cache line of their own, so that two workers' rings do not disturb each
    other.

    {b Checked.}
    - proved (proofs/deque/ring.v): all;
    - tested (test/deque): all. *)

type 'a t

val create : capacity:int -> dummy:'a -> 'a t
(** As {!Dynamic.create}. *)

val size : 'a t -> int
val is_empty : 'a t -> bool

val push : 'a t -> 'a -> unit
(** Adds at the back. *)

val pop : 'a t -> 'a option
(** Takes from the back: the newest. *)

val take : 'a t -> 'a option
(** Takes from the front: the oldest. *)

val oldest : 'a t -> 'a option
(** What {!take} would take. *)

val drop : 'a t -> unit
(** {!take}, of something that is there and already known. *)
