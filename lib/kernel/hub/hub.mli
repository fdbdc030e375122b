(** The hub holds every published task and decides which task runs next.

    A hub {e is} a scheduling policy. A hub is a record of closures rather than
    a functor argument: the pool is one piece of code, proved once for any
    record that meets this interface, and pays for no functor call.

    A hub never blocks, never runs tasks, and knows no parking. The pool asks
    the hub for tasks and parks the workers (see {!Dromos_base.Waiters}).

    {b Roles.} "Worker [i]" below is the one thread that currently serves as
    worker [i] of the pool. Only worker [i] may call the operations that take
    [i] as their first argument, one at a time. Any domain or systhread may call
    the other operations at any moment.

    {b Conservation.} At any moment the tasks of a hub are the multiset of the
    tasks that were pushed or submitted, minus the tasks that [pop] and [steal]
    returned. No operation drops or duplicates a task. *)

(** Why a task is pushed. *)
type reason =
  | New  (** the task was just created *)
  | Unblock  (** the event that the task waited for has happened *)
  | Yield
      (** the task lets other tasks go first: a hub must not return the task
          before them *)
  | Preempt  (** the task's time was up *)

type 'ctx task = {
  code : 'ctx -> unit;
      (** The code to run; the argument is the context of the worker that runs
          the task. *)
  mutable last_worker : int;
      (** The worker that last ran the task, or -1 if none did. The pool writes
          this field. *)
  mutable attrs : int array;
      (** Words for a policy's attributes. Shared and empty until a policy gives
          the task its own array. *)
}
(** A published task. The holder of the task alone writes the mutable fields:
    the creator before the push, then the worker that took the task. *)

type notifier = { mutable notify : int -> unit }
(** With [notify j] a hub tells the pool that worker [j] should look again if
    the worker sleeps. The pool sets the function. Most hubs never need a
    notifier: the pool itself wakes a worker after each push and submission. *)

type 'ctx t = {
  name : string;
  size : int;  (** number of workers, fixed *)
  push : int -> reason -> 'ctx task -> unit;
      (** [push i reason task]: worker [i] pushes a task. *)
  pop : int -> 'ctx task option;
      (** The next task that worker [i] should run, of the tasks that worker [i]
          can reach without asking another worker. *)
  retract : int -> 'ctx task -> bool;
      (** Worker [i] takes back the task that worker [i] pushed last, if no
          other worker has taken the task. [true]: the task is the caller's.
          [false]: nothing has changed, but a thief may have missed another task
          for a moment, so the caller must notify sleepers. A hub that cannot
          retract cheaply returns [false]. *)
  steal : int -> 'ctx task option;
      (** Worker [i] looks everywhere, including its own deque and inbox. [None]
          means that no task that worker [i] may run was there during the whole
          call: [steal] finds a task that was pushed before the call and that no
          other worker took. Therefore a worker that announces its sleep, then
          steals without success, then sleeps, misses no task. Tasks that only
          worker [i] may run come last: if a worker was woken for a task that
          any worker may run, the worker takes this task first.

          In a hub whose thieves must ask a victim (receiver-initiated), [steal]
          may also return [None] while the answer is under way; then
          [waits_for_answer i] is true. *)
  waits_for_answer : int -> bool;
      (** True if worker [i] has asked a victim and must ask again instead of
          parking. A hub returns [false] once it has arranged to {!notify} the
          worker. *)
  has_work : int -> bool;
      (** A hint, for worker [i]: true if a task that worker [i] published, or a
          task that any worker may take, still waits. Callers use the hint to
          decide whether another publication is worth its cost. *)
  submit : reason -> 'ctx task -> unit;
      (** From anywhere: adds a task that any worker may run. *)
  submit_to : int -> reason -> 'ctx task -> unit;
      (** From anywhere: adds a task that only worker [i] may run. If no thread
          serves as worker [i], the task waits until a thread does. *)
  enlist : int -> unit;
      (** Worker [i] starts to serve. Called before its first operation. *)
  retire : int -> unit;
      (** Worker [i] stops serving. Called after its last operation: the tasks
          that the worker kept for itself become reachable to the other workers
          (the tasks of its inbox stay). *)
  tick : int -> unit;
      (** Worker [i] is at a safe point: the hub may answer requests and age
          priorities. *)
  finished : int -> 'ctx task -> unit;  (** The task has returned. *)
  blocked : int -> 'ctx task -> unit;
      (** The task has suspended. The task comes back by a push or a submission.
      *)
  close : unit -> unit;  (** No more submissions will come from outside. *)
  notifier : notifier;  (** The pool's notifier; see {!type-notifier}. *)
}

type maker = { make : 'ctx. workers:int -> 'ctx t }
(** A policy; [make] builds a hub for a number of workers. *)

val notifier : unit -> notifier
(** A notifier that does nothing yet. *)

val task : ('ctx -> unit) -> 'ctx task
(** A new task. *)
