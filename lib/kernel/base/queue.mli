(** An unbounded, lock-free, multi-producer multi-consumer FIFO queue: hubs'
    shared queues and workers' inboxes.

    Linearizable. All operations from anywhere, none blocks. Source: Michael and
    Scott, PODC 1996; popped values are cleared, so that the queue keeps no
    reference to them. *)

type 'a t

val create : unit -> 'a t
val push : 'a t -> 'a -> unit

val pop : 'a t -> 'a option
(** [None] only if the queue was empty at some moment during the call. *)

val is_empty : 'a t -> bool
