(** Fiber-local storage, and what stands for it where code runs outside fibers.
    Internal; the public part is documented in [Dromos.Fls]. *)

val current : unit -> Hmap.t
(** The running fiber's; outside fibers that of the calling thread, empty if it
    has none. What is made there begins with it. *)

val set : call:string -> Hmap.t -> unit
(** From now on. Raises {!Misplaced.Misplaced} in the name of [call] outside
    fibers, unless the thread has a storage of its own that can be set. *)

val within : Hmap.t -> (unit -> 'a) -> 'a
(** Runs the function with that storage, which branches that were forked before
    do not see, and puts back what was. From anywhere. *)

val within_fiber : Fiber.t -> Hmap.t -> (unit -> 'a) -> 'a
(** The same, by the fiber. *)

val within_thread : Hmap.t -> (unit -> 'a) -> 'a
(** The same for code outside fibers: on a thread that no bridge has taken, what
    the function sets is dropped at its end. *)

val provide : Fiber.outside -> unit -> unit
(** Has the calling thread's code outside fibers use that, until the result is
    called on the same thread. *)

val save : unit -> unit -> unit
(** For {!Dromos_suspend.Carried}. *)

val owned_forks : bool ref
(** Whether a scheduler with forks of its own ({!Fiber.type-owner}) has ever run
    in this process; never set back. *)
