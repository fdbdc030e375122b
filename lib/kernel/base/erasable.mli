(** A first in, first out queue from whose middle a pusher can take its value
    back. The queue is for hubs with one shared queue, where a worker may take
    back the task that the worker pushed last.

    Unbounded, lock-free, multi-producer multi-consumer, linearizable. Any
    thread may call any operation. Poppers and callers of {!erase} compete for a
    value, and exactly one of them gets the value.

    {!erase} removes the value at once. The value's node, a few words, stays
    until the node comes to the head of the queue or until the next {!sweep}. A
    caller of {!erase} calls {!sweep} from time to time: for instance, after as
    many erasures as the queue was long at the last sweep. Then the dead nodes
    stay in proportion to the live nodes, and a sweep costs a constant per
    erasure.

    Source: Michael and Scott, PODC 1996, as in {!Queue}; nodes are marked
    before they are unlinked, as in Harris, DISC 2001. Here a node may be
    unlinked twice, or never, without harm.

    {b Checked.}
    - proved (proofs/base/erasable.v): all;
    - model-checked (test/base): [push], [pop], [is_empty], [erase], [sweep];
    - tested (test/base): [create], [push], [pop], [is_empty], [peek], [erase],
      [sweep]. *)

type 'a t

type 'a node
(** The place of a value in a queue. *)

val create : unit -> 'a t
val push : 'a t -> 'a -> 'a node

val pop : 'a t -> 'a option
(** [None] only if the queue was empty at some moment during the call. *)

val is_empty : 'a t -> bool

val peek : 'a node -> 'a option
(** The value, or [None] if the value was taken. *)

val erase : 'a node -> bool
(** Takes the value. Returns [false] if the value was taken before. *)

val sweep : 'a t -> int
(** Unlinks the nodes of erased values, and returns how long the queue was. The
    time is linear in the length of the queue plus the number of dead nodes. *)

val no_node : unit -> 'a node
(** A node that is in no queue and has no value. *)
