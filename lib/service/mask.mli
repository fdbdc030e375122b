(** Sections of a thread in which the thread's fiber must not be preempted: the
    fiber that would run instead may want the lock held in the section. Internal
    to Dromos.

    A counter per systhread; a few nanoseconds. *)

val protect : (unit -> 'a) -> 'a
(** Runs a short function, which does not wait for other fibers, in such a
    section. *)

val on : unit -> bool
(** [true] if the calling thread is in such a section. *)

val later : (unit -> unit) -> unit
(** [later f], called in a section, has [f] called when the calling thread
    leaves its outermost section: for functions of the program that the
    collector calls inside a section, and that may want the section's lock. [f]
    must not raise. *)
