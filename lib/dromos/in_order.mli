(** Numbered tasks pass a gate one at a time, in the order of their numbers.
    Internal: the gate of a stage of a {!Pipe}.

    A gate is a ring of semaphores. The semaphore of the number whose turn has
    come has a permit, the others have none. A task waits suspended. A cancelled
    task leaves the gate, and later numbers then wait until they are cancelled
    too. A turn that is free costs two compare-and-sets. *)

type t

val create : int -> t
(** [create n]: a gate for tasks numbered from 0. A task comes to the gate only
    after the task [n] numbers before has passed. *)

val wait : t -> int -> unit
(** [wait gate i] waits until all tasks with lower numbers have passed. *)

val pass : t -> int -> unit
(** Called by the task after its [wait]; gives the turn to the next number. *)
