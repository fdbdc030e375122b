(** Who lends a level to whom: the graph of priority inheritance, as a value.

    Tasks wait for locks, locks have holders. A waiting task counts for the
    greatest of its own level and of what the task has been lent itself; a
    holder is lent the greatest of what the waiters of its locks count for. So a
    level goes along chains: from a task to the holder of its lock, to the
    holder of the lock that this holder waits for, and so on. A cycle, which is
    a deadlock, stops where nothing changes any more.

    Pure. Cost: logarithmic in the numbers of waiters and locks for each task on
    the chain whose level changes; linear in the number of locks of one holder
    that others wait for.

    Source: Sha, Rajkumar, Lehoczky, {e Priority inheritance protocols} (IEEE
    Transactions on Computers 39, 1990), section III. Checked: random histories
    against a direct computation, in test/sched/lending. *)

open Dromos_sync

type t

val empty : t

val lent : t -> Owner.t -> int option
(** What a task has been lent. While it is not known who has a lock, which was
    given to a waiter that does not run yet, each of the waiters is lent the
    greatest level of them. Constant time while nobody waits. *)

val holder : t -> Owner.t -> (Owner.t * Lock_watch.lock) option
(** The lock that a task waits for, and who holds the lock as far as the graph
    knows. *)

(** {1 Changes}

    Each function answers the new graph, and the tasks for which {!lent} has
    changed, if they run or may be ready. *)

val wait : t -> Owner.t -> level:int -> Lock_watch.lock -> t * Owner.t list
(** A task of that level of its own begins to wait. The holder is what the
    lock's [owner] answers now. *)

val look : t -> Owner.t -> t * Owner.t list
(** Asks again who holds the lock for which a task waits. *)

val level : t -> Owner.t -> int -> t * Owner.t list
(** The task has another level of its own, if it waits. *)

val leave : t -> Owner.t -> t * Owner.t list
(** The task waits no more. If the task has the lock now, the others lend to it.
*)

val free : t -> Owner.t -> Lock_watch.lock -> t * Owner.t list
(** The holder lets go of the lock: its waiters lend to it no more. *)

val take : t -> Lock_watch.lock -> t * Owner.t list
(** The lock has another holder, which has not waited as a task of the graph.
    Linear in the number of locks that tasks wait for. *)
