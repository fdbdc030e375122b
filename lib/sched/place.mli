(** Where a fiber stands in a {!Shared_queue}, noted on the fiber itself, so
    that the queue finds it there. Internal; the owner of the field [came_at] of
    fibers.

    A plain field: the thread that has the fiber in hand writes it before its
    compare-and-set publishes the fiber, so whoever saw that reads this place or
    a later one. Others may read it at any time and must look whether the fiber
    is there. *)

type t = int * int
(** The rank with which it came, the number of its arrival. *)

val get : Core.fiber -> t
val set : Core.fiber -> t -> unit

val same : Core.fiber -> Core.fiber -> bool
(** Whether both are handles of one fiber. *)
