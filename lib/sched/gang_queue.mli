(** The ready queue of a gang: first in, first out, shared by instances on
    several vprocs. Internal; {!Shared_queue} orders fibers by rank.

    Lock-free: one compare-and-set for each operation; adding never waits. The
    queue skips items that are [gone], and sweeps them out as the queue grows:
    the queue never holds more than twice the items of its last sweep, plus 16
    ({!Dromos_sync.Author.Line}). Skipping items for other vprocs takes linear
    time. {!Sleepers} chooses the instances to wake. Model-checked
    (test/sched/model). *)

type 'a t

val create : gone:('a -> bool) -> suits:('a -> Vproc.t -> bool) -> unit -> 'a t
(** The queue may call both functions at any time, on any thread. An item that
    is gone stays gone. [suits item vproc] is [true] if the vproc may take the
    item. *)

val add : 'a t -> 'a -> unit
(** Adds an item at the back. After {!close}, the item goes to the function
    given to {!close}. From anywhere. *)

val take : reason:string -> 'a t -> 'a
(** The oldest item for this vproc; waits while there is none. Call [take] in an
    instance. A cancellation point only when it waits. *)

val close : 'a t -> ('a -> unit) -> unit
(** [close t otherwise] passes all items in the queue, and all items added
    later, to [otherwise]. [otherwise] must neither raise nor wait. Call [close]
    when no instance waits in {!take}. *)
