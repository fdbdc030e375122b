(** A queue of threads in the order declared by its state. For one thread at a
    time: a core's queues are under its lock.

    Without keys the queue is first in, first out, and an operation on the first
    or the last item is O(1). With keys the queue is in the order of the keys,
    with equal keys first in, first out; such an operation is O(log k) for k
    different keys. {!take}, {!offer} and {!to_list} are linear in the items
    that they meet. A thread enters before the first thread with greater keys.
    Keys that change later move no thread, and operations are linear while some
    keys have changed. Source: the machine of policy/semantics, against which
    the queue is tested. *)

type 'a t

val fifo : none:'a -> 'a t
(** [none] is in no queue; {!first} returns it for an empty queue. *)

val sorted : none:'a -> ('a -> int array) -> 'a t
(** A queue by these keys, compared from the first key on, lowest first. *)

val keys : 'a t -> 'a -> int array
(** The present keys of the item; empty if the queue has no keys. *)

val keys_changed : 'a t -> unit
(** Reports that an item of the queue may have new keys. *)

val add : 'a t -> 'a -> unit

val first : 'a t -> 'a
(** The first item, or [none]; likewise {!take_first}. *)

val to_list : 'a t -> 'a list
(** The items from first to last. *)

val take_first : 'a t -> 'a

val take : 'a t -> ('a -> bool) -> 'a option
(** Takes the first item that satisfies the predicate. Linear. *)

val is_newest : 'a t -> 'a -> bool
(** True if the item entered last among the items with its keys. Costs as much
    as {!add}. After keys have changed, the result may be [false] for the newest
    item, too. *)

val take_newest : 'a t -> 'a -> bool
(** Takes the item out, if {!is_newest} holds for it. *)

val offer : 'a t -> ('a -> bool) -> enough:(unit -> bool) -> 'a list
(** Offers each item, first to last, to the function. Items for which the
    function returns [true] leave the queue and are returned, in order. After
    each item, taken or not, [enough] says whether to stop. *)
