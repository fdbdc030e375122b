(** A growable double-ended queue for one thread. A worker keeps its tasks in a
    ring if no other thread may look at the tasks.

    All operations are plain memory accesses and take constant time (amortized
    for {!push}). The ring forgets taken values at once. The owner's indices
    have a cache line of their own, so that the rings of two workers do not
    disturb each other.

    {b Checked.}
    - proved (proofs/deque/ring.v): all;
    - tested (test/deque): all. *)

type 'a t

val create : capacity:int -> dummy:'a -> 'a t
(** Like {!Dynamic.create}. *)

val size : 'a t -> int
val is_empty : 'a t -> bool

val push : 'a t -> 'a -> unit
(** Adds an item at the back. *)

val pop : 'a t -> 'a option
(** Takes the newest item, from the back. *)

val take : 'a t -> 'a option
(** Takes the oldest item, from the front. *)

val oldest : 'a t -> 'a option
(** The item that {!take} would take. *)

val drop : 'a t -> unit
(** Like {!take}, for a caller that knows the item already. The ring must not be
    empty. *)
