(** Waits for locks that somebody holds, told to those who want to know: a
    scheduler that lets the holder of a lock inherit the priority of its waiters
    (see [Dromos.Sched.Inheritance]). For authors of structures with an
    {!Owner}, and of schedulers.

    {b Cost.} A lock that is free tells nobody. A task that must wait reads one
    word; only while there is a watcher a record of the lock is made. Lock-free,
    from any thread.

    {b Not told}: waits that are part of a choice ([lock_event]), and waits on
    structures without an owner. *)

type id = ..
(** A lock's identity: each structure adds a constructor that holds the lock
    itself. *)

type lock = {
  id : id;
  is : id -> bool;  (** whether that is the identity of this lock *)
  owner : unit -> Owner.t;
      (** who holds the lock; {!Owner.nobody} between the release of the lock
          and the moment at which a waiter to whom it was given goes on *)
}

type watcher = {
  waits : Owner.t -> lock -> unit;
      (** called by a task that is about to wait *)
  stands : Owner.t -> lock -> unit;
      (** called by that task, or in its name, when the task has its place in
          the lock's line: the lock may have been released and taken by another
          task since [waits]; releases from now on are told *)
  leaves : Owner.t -> lock -> unit;
      (** called by that task when the wait is over: the task has the lock, and
          [owner] says so, or the task was cancelled, or its time was up *)
  frees : Owner.t -> lock -> unit;
      (** called by the holder of a lock for which others may wait, after
          [owner] has been cleared and before any of them is woken *)
  taken : lock -> unit;
      (** called by a task that has got the lock in a choice *)
}
(** The functions are called in the task; none may wait or raise. Of each wait a
    watcher is told the begin and the end, or neither. *)

val waiting : Owner.t -> ('a -> lock) -> 'a -> (unit -> 'b) -> 'b
(** [waiting self lock_of t wait] is [wait ()], which waits for the lock [t] and
    writes its owner. Nothing is told of {!Owner.nobody}. *)

val standing :
  Owner.t -> ('a -> lock) -> 'a -> 'b Waiter.source -> 'b Waiter.source
(** The operation, in [wait], of which watchers are told [stands]. *)

val frees : Owner.t -> ('a -> lock) -> 'a -> unit
val taken : ('a -> lock) -> 'a -> unit

val watch : watcher -> unit -> unit
(** [watch w] has [w] told of the waits that begin from now on, until the
    function that it returns is called. *)

type watchers

val let_go : take:(watchers -> 'a) -> back:('a -> watchers) -> unit -> unit
(** As {!Wait_graph.let_go}: nothing of ours leads to the watchers until the
    function that it returns is called. They are told of no wait that begins
    meanwhile; what becomes of locks they are told then. *)
