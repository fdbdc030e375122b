(** A place that numbered tasks pass one at a time, in the order of their
    numbers. Internal: a stage of a {!Pipe}.

    A ring of semaphores, at most one of which has a permit: that of the number
    whose turn it is. So a task that waits is suspended, and one that is
    cancelled leaves; nobody passes then until the number is passed all the
    same, if ever. Uncontended a turn costs two compare-and-sets. *)

type t

val create : int -> t
(** [create n], for tasks numbered from 0, no two of which differ by [n] or more
    while the lower one has not passed. *)

val wait : t -> int -> unit
(** Until all lower numbers have passed. *)

val pass : t -> int -> unit
(** By who has the turn; the next one has it then. *)
