(** A queue that any thread adds to and a scheduler takes from. The scheduler
    waits like any fiber while the queue is empty. Several schedulers may wait
    (round robin inside round robin serve the same vproc's queue): an item wakes
    all of them, and the first to run takes the item.

    {b Roles.} {!add} and {!close}: any thread. The other functions: a fiber or
    an action on the vproc that the queue belongs to.

    {b Cost.} A compare-and-set for each [add], and an exchange for each batch
    of items that were added since the last batch; only {!take} waits. Items
    leave in the order in which they were added. Model-checked
    (test/sched/model), without {!let_go}. *)

type 'a t

val create : unit -> 'a t

val add : 'a t -> 'a -> unit
(** Adds an item and wakes {!take}. After {!close}, passes the item to the
    function given to {!close}. *)

val take : reason:string -> 'a t -> 'a
(** The oldest item; waits while the queue is empty. A cancellation point only
    when [take] waits. *)

val take_opt : 'a t -> 'a option

val length : 'a t -> int
(** The number of items that have arrived; walks over the newest items. *)

val let_go : 'a t -> unit -> unit
(** [let_go t] hides the waiters in {!take} from the collector: the queue leads
    to no waiter until the caller calls the result. The result puts the waiters
    back, and wakes them if an item came meanwhile. For {!Deadlock}, from any
    thread: a thread that would {!add} has a fiber's handle, which leads to the
    scheduler anyway. *)

val close : 'a t -> ('a -> unit) -> unit
(** [close t otherwise] passes every item in the queue, and every later item, to
    [otherwise], which must not raise. Called by the vproc, at most once, when
    no fiber waits in {!take}. *)
