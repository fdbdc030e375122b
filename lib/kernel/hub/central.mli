(** What hubs have in common: the places where a task waits for a worker that is
    not chosen by a deque.

    - one shared queue, first in first out, for submissions from outside, for
      tasks that yield, and for what a hub has no better place for;
    - one inbox for each worker, for tasks that only it may run.

    {b Fairness.} Work stealing serves its own newest task first, so that a
    worker which never runs out of tasks would never look anywhere else. Every
    61st pop is therefore a {e fair} one, which looks at the shared queue or the
    inbox first, in turns (61, a prime near Go's choice, so as not to fall into
    step with a program's own periods).

    {b Yielding} tasks go to the end of the shared queue: they stay behind what
    is in it, and, since the deque is looked at first, behind what is in their
    worker's deque. A fair pop that finds a yielded task while the deque holds
    [n] tasks defers it: the task runs after [n] fair pops that each run the
    oldest task of the deque. So it lets every task that was queued before it go
    first, and the number of pops it waits for is bounded.

    All queue operations are linearizable and do not block. The counters are
    plain fields of padded records, one for each worker, touched by it alone.

    {b Checked.}
    - proved (proofs/hub/central_ops.v): [create], [submit], [submit_to],
      [fair], [has_work], [victim];
    - proved (proofs/hub/central_taking.v): [pop], [steal];
    - proved (proofs/hub/central.v): [pop_fairly];
    - tested (test/kernel): all. *)

type 'ctx t

val create : workers:int -> notifier:Hub.notifier -> 'ctx t
(** [notifier] is the hub's: it tells the others when a task is deferred. *)

(** {1 From anywhere} *)

val submit : 'ctx t -> Hub.reason -> 'ctx Hub.task -> unit
(** To the shared queue. *)

val submit_to : 'ctx t -> int -> 'ctx Hub.task -> unit
(** To the inbox of a worker. *)

(** {1 By worker [i]} *)

type 'ctx own_deque = {
  size : int -> int;  (** how many tasks worker [i] keeps for itself *)
  oldest : int -> 'ctx Hub.task option;  (** takes the oldest of them *)
}
(** A worker's own deque, as fairness sees it. *)

val fair : 'ctx t -> int -> bool
(** Counts a pop; says whether it is to be a fair one. *)

val pop_fairly : 'ctx t -> int -> 'ctx own_deque -> 'ctx Hub.task option
(** A fair pop. [None] says only that the source whose turn it was is empty. *)

val pop : 'ctx t -> int -> 'ctx Hub.task option
(** When the worker's deque is empty: inbox, then shared queue. *)

val steal : 'ctx t -> int -> 'ctx Hub.task option
(** When all deques are empty: shared queue, then inbox. The inbox comes last
    for the sake of sleepers: a worker that was woken for a task that others
    could run as well takes that one, so that the wake-up is not spent on a task
    that had its own. *)

val has_work : 'ctx t -> bool
(** Something waits here that every worker may take. *)

val victim : 'ctx t -> int -> int
(** A pseudo-random worker. *)
