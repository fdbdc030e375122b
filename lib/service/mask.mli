(** Sections of a thread in which the scheduler must not take its fiber off the
    processor: whoever would run instead may want the lock that it holds.
    Internal to Dromos.

    A count for each systhread; a few nanoseconds. *)

val protect : (unit -> 'a) -> 'a
(** For short sections that do not wait for other fibers. *)

val on : unit -> bool
(** Whether the calling thread is in one. *)
