(** The graph of priority inheritance, as a value: which task lends its level to
    which task.

    Tasks wait for locks, locks have holders. A waiting task counts for the
    greatest of its own level and of the level lent to the task; a holder is
    lent the greatest level that the waiters of its locks count for. Levels
    therefore go along chains: from a task to the holder of its lock, to the
    holder of the next lock, and so on. On a cycle, which is a deadlock, the
    computation stops when no level changes any more.

    Pure. Cost: logarithmic in the numbers of waiters and locks for each task on
    the chain whose level changes; linear in the number of locks of one holder
    that others wait for.

    Source: Sha, Rajkumar, Lehoczky, {e Priority inheritance protocols} (IEEE
    Transactions on Computers 39, 1990), section III. Checked: random histories
    against a direct computation, in test/sched/lending. *)

open Dromos_sync.Author

type t

val empty : t

val lent : t -> Owner.t -> int option
(** The level lent to a task. While the holder of a lock is not known (the lock
    was given to a waiter that does not run yet), each waiter is lent the
    greatest level of all waiters. Constant time while no task waits. *)

val holder : t -> Owner.t -> (Owner.t * Lock_watch.lock) option
(** The lock for which a task waits, and the lock's holder as far as the graph
    knows. *)

(** {1 Changes}

    Each function returns the new graph, and the tasks for which {!lent} has
    changed, if they run or may be ready. *)

val wait : t -> Owner.t -> level:int -> Lock_watch.lock -> t * Owner.t list
(** A task begins to wait; [level] is the task's own level. The holder is the
    current answer of the lock's [owner]. *)

val look : t -> Owner.t -> t * Owner.t list
(** Asks again for the holder of the lock for which a task waits. *)

val level : t -> Owner.t -> int -> t * Owner.t list
(** Gives a task another level of its own, if the task waits. *)

val leave : t -> Owner.t -> t * Owner.t list
(** The task stops waiting. If the task has the lock now, the other waiters lend
    to the task. *)

val free : t -> Owner.t -> Lock_watch.lock -> t * Owner.t list
(** The holder releases the lock: the lock's waiters stop lending to the holder.
*)

val take : t -> Lock_watch.lock -> t * Owner.t list
(** The lock has a new holder, which has not waited as a task of the graph.
    Linear in the number of locks for which tasks wait. *)
