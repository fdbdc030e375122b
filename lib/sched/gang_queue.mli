(** The ready queue of a gang: first in, first out, shared by instances on
    several vprocs. Internal; {!Shared_queue} orders fibers by rank.

    Lock-free: one compare-and-set for each operation; whoever adds never waits.
    Items that are [gone] are passed over, and swept as the queue grows, so that
    it never holds more than twice the items that were there at its last sweep,
    plus 16 ({!Dromos_sync.Line}); stepping over items for other vprocs is
    linear. Wakes whom {!Sleepers} says. Model-checked (test/sched/model). *)

type 'a t

val create : gone:('a -> bool) -> suits:('a -> Vproc.t -> bool) -> unit -> 'a t
(** Both are asked at any time, on any thread. What is gone stays so. [suits]
    says which vprocs may take an item. *)

val add : 'a t -> 'a -> unit
(** After {!close}, hands the item to the function given there. From anywhere.
*)

val take : reason:string -> 'a t -> 'a
(** The oldest item for this vproc; waits while there is none. In an instance. A
    cancellation point only when it waits. *)

val close : 'a t -> ('a -> unit) -> unit
(** [close t otherwise] passes every item that is still there, and all that will
    come, to [otherwise], which must neither raise nor wait. When nobody waits
    in {!take}. *)
