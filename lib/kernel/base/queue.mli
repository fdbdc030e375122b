(** An unbounded, lock-free, multi-producer multi-consumer FIFO queue. Hubs use
    it for their shared queues, and workers for their inboxes.

    Linearizable. Any thread may call any operation. No operation blocks, and
    all are lock-free: an operation retries only if another thread's operation
    made progress. The queue keeps no reference to popped values, and popped
    nodes keep no reference to later nodes; a value that passes through quickly
    dies young.

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
    only if the queue held a value at some moment during the call, perhaps only
    between two reads of [is_empty]. *)
