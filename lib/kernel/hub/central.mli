(** What hubs have in common: the places where a task waits for a worker that is
    not chosen by a deque.

    - one shared queue, first in first out, for submissions from outside and for
      what a hub has no better place for;
    - one queue of tasks that yielded, looked at after everything else, so that
      a task that lets others go first does;
    - one inbox for each worker, for tasks that only it may run.

    {b Fairness.} Work stealing serves its own newest task first, so that a
    worker which never runs out of tasks would never look anywhere else. Every
    61st pop is therefore a {e fair} one. Three kinds take turns: shared queue
    first; inbox first; and one for the tasks that yielded. That last kind takes
    a task that yielded only after it has run the oldest tasks of the deque, as
    many as were there at the yield: whoever yields stays behind them, and yet
    waits for a bounded number of pops only. (61, a prime near Go's choice, so
    as not to fall into step with a program's own periods.)

    All queue operations are linearizable and do not block. The counters are
    plain fields of padded records, one for each worker, touched by it alone. *)

type 'ctx t

val create : workers:int -> 'ctx t

(** {1 From anywhere} *)

val submit : 'ctx t -> Hub.reason -> 'ctx Hub.task -> unit
(** To the shared queue, or, if it yields or was preempted, to the queue for
    those. *)

val submit_to : 'ctx t -> int -> 'ctx Hub.task -> unit
(** To the inbox of a worker. *)

(** {1 By worker [i]} *)

type 'ctx own = {
  size : int -> int;  (** how many tasks worker [i] keeps for itself *)
  oldest : int -> 'ctx Hub.task option;  (** takes the oldest of them *)
}
(** A worker's own deque, as fairness sees it. *)

val let_pass : 'ctx t -> int -> 'ctx own -> 'ctx Hub.task -> unit
(** Puts a task behind all the others. *)

val fair : 'ctx t -> int -> bool
(** Counts a pop; says whether it is to be a fair one. *)

val pop_fairly : 'ctx t -> int -> 'ctx own -> 'ctx Hub.task option
(** A fair pop. [None] says only that the source whose turn it was is empty. *)

val pop : 'ctx t -> int -> 'ctx Hub.task option
(** When the worker's deque is empty: inbox, shared queue, tasks that yielded.
*)

val steal : 'ctx t -> int -> 'ctx Hub.task option
(** When all deques are empty: shared queue, tasks that yielded, inbox. The
    inbox comes last for the sake of sleepers: a worker that was woken for a
    task that others could run as well takes that one, so that the wake-up is
    not spent on a task that had its own. *)

val has_work : 'ctx t -> bool
(** Something waits here that every worker may take. *)

val victim : 'ctx t -> int -> int
(** A pseudo-random worker. *)
