(** Tells watchers which tasks wait for locks with a holder. A scheduler uses
    this module to let the holder of a lock inherit the priority of its waiters
    (see [Dromos.Sched.Inheritance]). For authors of structures with an
    {!Owner}, and of schedulers.

    {b Cost.} Taking a free lock tells no watcher. A task that must wait reads
    one word, and makes a record of the lock only while there is a watcher.
    Lock-free, from any thread.

    {b Not told}: waits in a select ([lock_event]), and waits on structures
    without an owner.

    @canonical Dromos_sync.Author.Lock_watch *)

type id = ..
(** A lock's identity: each structure adds a constructor that holds the lock
    itself. *)

type lock = {
  id : id;
  is : id -> bool;
      (** [is id] is [true] if [id] is the identity of this lock *)
  owner : unit -> Owner.t;
      (** the holder of the lock; {!Owner.nobody} between the release of the
          lock and the moment at which the next holder runs *)
}

type watcher = {
  waits : Owner.t -> lock -> unit;
      (** called by a task that is about to wait *)
  stands : Owner.t -> lock -> unit;
      (** called by the waiting task, or in its name, when the task has its
          place in the lock's queue. Another task may have released the lock,
          and a third one taken it, since [waits]; later releases are told *)
  leaves : Owner.t -> lock -> unit;
      (** called by the waiting task when the wait is over: the task has the
          lock, and [owner] names the task, or the task was cancelled or timed
          out *)
  frees : Owner.t -> lock -> unit;
      (** called by the holder of a lock with possible waiters, after [owner]
          has been cleared and before a waiter is woken *)
  taken : lock -> unit;
      (** called by a task that has got the lock in a select *)
}
(** The functions are called in the task, and must neither wait nor raise. A
    watcher is told the begin and the end of a wait, or neither. *)

val waiting : Owner.t -> ('a -> lock) -> 'a -> (unit -> 'b) -> 'b
(** [waiting self lock_of t wait] is [wait ()], where [wait] waits for the lock
    [t] and writes the lock's owner. Waits of {!Owner.nobody} are not told. *)

val standing :
  Owner.t -> ('a -> lock) -> 'a -> 'b Waiter.source -> 'b Waiter.source
(** [standing self lock_of t source] is [source], for use in [wait]: watchers
    are told [stands] when a waiter is enlisted. *)

val frees : Owner.t -> ('a -> lock) -> 'a -> unit
val taken : ('a -> lock) -> 'a -> unit

val watch : watcher -> unit -> unit
(** [watch w] tells [w] of all waits that begin from now on, until the resulting
    function is called. *)

type watchers

val let_go : take:(watchers -> 'a) -> back:('a -> watchers) -> unit -> unit
(** [let_go] takes away our references to the watchers until the resulting
    function is called, as {!Wait_graph.let_go}. Waits that begin meanwhile are
    not told; [frees] and [taken] are told afterwards. *)
