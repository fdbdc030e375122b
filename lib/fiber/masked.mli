(** Code in which a fiber is not preempted. Owner of [masked]. Internal.

    A preemption parks the fiber's thread. Code that runs on the scheduler's
    stack, or holds handles of other fibers, must therefore be masked. Masks
    nest. Called by the thread that runs the fiber. *)

val enter : Types.fiber -> unit
val leave : Types.fiber -> unit

val during : Types.fiber -> ('a -> 'b) -> 'a -> 'b
(** [during fiber f x] is [f x], masked. *)

val call : ('a -> 'b) -> 'a -> 'b
(** {!during} for the calling fiber; outside fibers [call f x] is [f x]. *)
