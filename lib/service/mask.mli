(** Sections of a thread in which the scheduler must not preempt its fiber: the
    fiber that would run instead may want the lock held in the section. Internal
    to Dromos.

    A counter per systhread; a few nanoseconds. *)

val protect : (unit -> 'a) -> 'a
(** Runs a short function, which does not wait for other fibers, in such a
    section. *)

val on : unit -> bool
(** [true] if the calling thread is in such a section. *)
