(** Where a fiber stands in a {!Shared_queue}, noted on the fiber itself, so
    that the queue finds it there. Internal; the owner of the field [came_at] of
    fibers.

    The field is a plain one. The thread that has the fiber in hand writes the
    place before the compare-and-set that publishes the fiber, so a thread that
    saw the fiber in the queue reads this place or a later one. A thread that
    reads at another time must look whether the fiber is there. *)

type t = int * int
(** The rank with which it came, the number of its arrival. *)

val get : Core.fiber -> t
val set : Core.fiber -> t -> unit

val same : Core.fiber -> Core.fiber -> bool
(** Whether both are handles of one fiber. *)
