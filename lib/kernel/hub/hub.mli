(** The hub: who owns every published task, and which one runs next.

    A hub {e is} a scheduling policy. It is a record of closures rather than a
    functor argument, so that the pool is one piece of code, proved once for any
    record that meets this interface, and costs no functor call.

    A hub never blocks and knows nothing of parking: the pool asks it, and parks
    workers around it (see {!Dromos_base.Waiters}). It never runs tasks.

    {b Roles.} "Worker [i]" below is the one thread that currently serves as
    worker [i] of the pool. Operations that take [i] as their first argument may
    only be called by it, one at a time; the others may be called by any domain
    or systhread at any moment.

    {b Conservation.} At any moment the tasks of a hub are the multiset of tasks
    pushed or submitted minus those returned by [pop] and [steal]; no operation
    drops or duplicates one. *)

(** Why a task is pushed. *)
type reason =
  | New  (** just created *)
  | Unblock  (** what it waited for has happened *)
  | Yield  (** it let others go first: a hub must not return it before them *)
  | Preempt  (** its time was up *)

type 'ctx task = {
  code : 'ctx -> unit;
      (** What to run, given the context of the worker that runs it. *)
  mutable last_worker : int;
      (** The worker that last ran it, -1 if none did. Written by the pool. *)
  mutable attrs : int array;
      (** Words for a policy's attributes; shared and empty until a policy gives
          the task its own. *)
}
(** A published task. Mutable fields are written only by whoever holds the task:
    its creator before the push, the worker that took it afterwards. *)

type notifier = { mutable notify : int -> unit }
(** How a hub tells the pool, which sets the function, that worker [j] should
    look again if it sleeps. Most hubs never need it: the pool itself wakes
    somebody after each push and submission. *)

type 'ctx t = {
  name : string;
  size : int;  (** number of workers, fixed *)
  push : int -> reason -> 'ctx task -> unit;
      (** [push i reason task], by worker [i]. *)
  pop : int -> 'ctx task option;
      (** The next task worker [i] should run of those it can reach without
          asking another worker. *)
  retract : int -> 'ctx task -> bool;
      (** Worker [i] takes back the task it pushed last, if that is still its to
          take: [true], and the task is the caller's, or [false], and nothing
          has changed, except that a thief may have missed another task for a
          moment: whoever calls this notifies sleepers. A hub that cannot do
          this cheaply says [false]. *)
  steal : int -> 'ctx task option;
      (** Worker [i] looks everywhere, its own places included. [None] means
          that no task that worker [i] may run was there during the whole call:
          one that was pushed before it and that nobody took is found. So a
          worker that announces its sleep, then steals nothing, then sleeps,
          misses no task. Tasks that only worker [i] may run come last: a worker
          woken for a task that others could run as well takes that one first.

          A hub in which thieves must ask a victim (receiver-initiated) may also
          return [None] while the answer is under way; then [waits_for_answer i]
          is true. *)
  waits_for_answer : int -> bool;
      (** Worker [i] has asked a victim and must ask again, not park. (A hub
          says [false] once it has arranged to {!notify} the worker.) *)
  has_work : int -> bool;
      (** A hint, by worker [i]: something published by [i], or open to all, is
          still waiting to be taken. Used to decide whether publishing more is
          worth its cost. *)
  submit : reason -> 'ctx task -> unit;
      (** From anywhere: a task that any worker may run. *)
  submit_to : int -> reason -> 'ctx task -> unit;
      (** From anywhere: a task only worker [i] may run. If no one serves as
          worker [i] it waits until someone does. *)
  enlist : int -> unit;
      (** Worker [i] starts to serve, before its first operation. *)
  retire : int -> unit;
      (** Worker [i] stops serving, after its last operation: whatever it kept
          for itself becomes reachable to the others (targeted tasks stay). *)
  tick : int -> unit;
      (** Worker [i] is at a safe point: answer requests, age priorities. *)
  finished : int -> 'ctx task -> unit;  (** The task has returned. *)
  blocked : int -> 'ctx task -> unit;
      (** The task has suspended; it comes back by a push or a submission. *)
  close : unit -> unit;  (** No task will be submitted from outside any more. *)
  notifier : notifier;  (** The pool's; see {!type-notifier}. *)
}

type maker = { make : 'ctx. workers:int -> 'ctx t }
(** A policy, ready to be instantiated for a number of workers. *)

val notifier : unit -> notifier
(** One that does nothing yet. *)

val task : ('ctx -> unit) -> 'ctx task
(** A fresh task. *)
