(** A first in, first out queue from whose middle a value can be taken by
    whoever pushed it: for hubs with one shared queue, whose workers may want
    the task back that they pushed last.

    Unbounded, lock-free, multi-producer multi-consumer, linearizable; all
    operations from anywhere. A popper and those who {!erase} compete for a
    value, and exactly one gets it.

    An erased value is gone at once, and its node, a few words, when it comes to
    the head of the queue or at the next {!sweep}. Whoever erases sweeps now and
    then, once for as many erasures as the queue was long the last time, say, so
    that what is left behind stays in proportion to what is there and a sweep
    costs a constant per erasure.

    Source: Michael and Scott, PODC 1996, as in {!Queue}; nodes are marked
    before they are unlinked, as in Harris, DISC 2001, but a node that is
    unlinked twice or not at all does no harm here.

    {b Checked.}
    - proved (proofs/base/erasable.v): all;
    - model-checked (test/base): [push], [pop], [is_empty], [erase], [sweep];
    - tested (test/base): [create], [push], [pop], [is_empty], [peek], [erase],
      [sweep]. *)

type 'a t

type 'a node
(** Where a value stands in a queue. *)

val create : unit -> 'a t
val push : 'a t -> 'a -> 'a node

val pop : 'a t -> 'a option
(** [None] only if the queue was empty at some moment during the call. *)

val is_empty : 'a t -> bool

val peek : 'a node -> 'a option
(** The value, if it is still there. *)

val erase : 'a node -> bool
(** Takes the value; [false] if it was taken before. *)

val sweep : 'a t -> int
(** Unlinks the nodes of erased values. Returns how long the queue was: it is
    linear in that, with what is left behind in it. *)

val no_node : unit -> 'a node
(** One that is in no queue, and has no value. *)
