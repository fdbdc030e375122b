(** An unbounded, lock-free, multi-producer multi-consumer FIFO queue: hubs'
    shared queues and workers' inboxes.

    Linearizable. All operations from anywhere, none blocks, all are lock-free:
    a retry means that somebody else got on. The queue keeps no reference to
    popped values, and popped nodes none to later ones, so that what passes
    through quickly dies young.

    Source: Michael and Scott, PODC 1996.

    {b Checked.}
    - proved (proofs/base/queue.v): [create], [push], [pop], [is_empty];
    - model-checked (test/base): [push], [pop], [is_empty];
    - tested (test/base): all. *)

type 'a t

val create : unit -> 'a t
val push : 'a t -> 'a -> unit

val pop : 'a t -> 'a option
(** [None] only if the queue was empty at some moment during the call. *)

val is_empty : 'a t -> bool
(** [true] only if the queue was empty at some moment during the call. [false]
    only if it was not empty during all of it: something was in it at some
    moment, perhaps only between the moments at which this call looked. *)
