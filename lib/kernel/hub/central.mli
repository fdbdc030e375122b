(** The queues that all hubs use for tasks outside the deques:

    - one shared queue, first in first out, for submissions from outside, for
      tasks that yield, and for every other task that a hub does not put into a
      deque;
    - one inbox for each worker, for tasks that only this worker may run.

    {b Fairness.} A work-stealing worker runs its own newest task first, so a
    worker that never runs out of tasks would never look at the queues.
    Therefore every 61st pop is a {e fair} pop, which first looks at the shared
    queue, at the inbox or at the deferred tasks, in turns (61 is a prime near
    Go's choice, so that fair pops do not fall into step with a program's own
    periods).

    {b Yielding} tasks go to the end of the shared queue. A yielding task stays
    behind the tasks that are in the queue and, since a worker looks at its
    deque first, behind the tasks in the deque of its worker. A fair pop that
    finds a yielded task while the deque holds [n] tasks defers the yielded
    task: it runs after [n] fair pops that each run the oldest task of the
    deque. A yielded task lets every task that was queued earlier go first, and
    waits for a bounded number of pops.

    All queue operations are linearizable and do not block. The counters are
    plain fields of padded records; each worker has one record and alone touches
    it.

    {b Checked.}
    - proved (proofs/hub/central_ops.v): [create], [submit], [submit_to],
      [fair], [has_work], [victim];
    - proved (proofs/hub/central_taking.v): [pop], [steal];
    - proved (proofs/hub/central.v): [pop_fairly];
    - tested (test/kernel): all. *)

type 'ctx t

val create : workers:int -> notifier:Hub.notifier -> 'ctx t
(** [create ~workers ~notifier] makes empty queues. Through [notifier], the
    hub's, the queues notify the other workers when a task is deferred. *)

(** {1 From anywhere} *)

val submit : 'ctx t -> Hub.reason -> 'ctx Hub.task -> unit
(** Adds a task to the shared queue. *)

val submit_to : 'ctx t -> int -> 'ctx Hub.task -> unit
(** Adds a task to the inbox of a worker. *)

(** {1 By worker [i]} *)

type 'ctx own_deque = {
  size : int -> int;  (** number of tasks in the deque of worker [i] *)
  oldest : int -> 'ctx Hub.task option;
      (** takes the oldest task of the deque *)
}
(** The operations on a worker's own deque that a fair pop needs. *)

val fair : 'ctx t -> int -> bool
(** Counts a pop. Returns [true] if the pop must be a fair one. *)

val pop_fairly : 'ctx t -> int -> 'ctx own_deque -> 'ctx Hub.task option
(** A fair pop. The hub may still hold tasks when the result is [None]: the pop
    looks at one source only, and defers a yielded task that it finds in the
    shared queue. *)

val pop : 'ctx t -> int -> 'ctx Hub.task option
(** Called when the worker's deque is empty. Looks at the inbox, then at the
    shared queue; in the other order if the last [pop] took a task from the
    inbox. *)

val steal : 'ctx t -> int -> 'ctx Hub.task option
(** Called when all deques are empty. Looks at the shared queue, then at the
    inbox. The inbox comes last for the sake of sleeping workers. If a worker
    was woken for a task that any worker may run, the worker takes this task
    first. Otherwise the worker would use the wake-up for a task of its inbox,
    which had a wake-up of its own. *)

val has_work : 'ctx t -> bool
(** True if the shared queue or the deferred tasks hold a task. *)

val victim : 'ctx t -> int -> int
(** A pseudo-random worker. *)
