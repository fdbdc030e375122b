(** A queue that anybody adds to and one scheduler takes from, waiting like any
    fiber while there is nothing. Several schedulers may wait (round robin
    inside round robin serve the same vproc's queue): an item wakes all of them,
    for whichever comes first.

    {b Roles.} {!add} and {!close}: any thread. The others: the vproc that the
    queue belongs to, in a fiber or an action that runs on it.

    {b Cost.} One compare-and-set for each [add], one exchange for each batch of
    items that was added since the last; nobody waits but {!take}. Items leave
    in the order in which they were added. Model-checked (test/sched/model), but
    for {!let_go}. *)

type 'a t

val create : unit -> 'a t

val add : 'a t -> 'a -> unit
(** Wakes {!take}. After {!close}, hands the item to the function given there.
*)

val take : reason:string -> 'a t -> 'a
(** The oldest item; waits while there is none. A cancellation point only when
    it waits. *)

val take_opt : 'a t -> 'a option

val length : 'a t -> int
(** Of what has arrived; walks over the newest items. *)

val let_go : 'a t -> unit -> unit
(** [let_go t] has the queue lead no more to who waits in {!take}, until the
    function that it returns is called, which wakes it if there is something by
    then. For {!Deadlock}, from any thread: whoever would {!add} has a fiber in
    hand that leads to the scheduler anyhow. *)

val close : 'a t -> ('a -> unit) -> unit
(** [close t otherwise] passes every item that is still there, and all that will
    come, to [otherwise], which must not raise. By the vproc, at most once, when
    nobody waits in {!take}. *)
