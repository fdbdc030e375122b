(** The place of a fiber in a {!Shared_queue}, written on the fiber itself for
    the queue to find. Internal. [Place] owns the field [came_at] of fibers.

    The field is a plain field. The thread that holds the fiber's handle writes
    the place before the compare-and-set that publishes the fiber. A thread that
    saw the fiber in the queue therefore reads at least this place, or a later
    place. At any other time, the reader must check whether the fiber is at the
    place. *)

type t = int * int
(** The rank at the fiber's arrival, and the number of the arrival. *)

val get : Core.fiber -> t
val set : Core.fiber -> t -> unit

val same : Core.fiber -> Core.fiber -> bool
(** [true] if both handles belong to one fiber. *)
