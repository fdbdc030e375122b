(** The figures of a {!Runtime}: the number of tasks in each state, and the
    times that tasks took. Internal.

    All figures are one immutable record in one atomic word, so a reader sees
    numbers that belong together: [accepted] is always the sum of [queued],
    [running], [finished], [failed] and [cancelled]. An update is a
    compare-and-set, repeated if another update came first: lock-free, for any
    thread. *)

type t = {
  accepted : int;
  refused : int;
  queued : int;
  running : int;
  finished : int;
  failed : int;
  cancelled : int;
  wait_sum : int;  (** nanoseconds *)
  wait_max : int;
  run_sum : int;
  run_max : int;
}

type cell

(** The end of a task that had begun. *)
type ending = Finished | Failed | Cancelled

val create : unit -> cell
val read : cell -> t

val refused : cell -> unit
(** Counts a task that was refused. *)

val accepted : cell -> unit
(** Counts a task that enters the queue. *)

val withdrawn : cell -> unit
(** Counts a task that left the queue before it began: the task was cancelled.
*)

val begun : cell -> waited:int -> unit
(** Counts a task that left the queue and runs. *)

val ended : cell -> ran:int -> ending -> unit
(** Counts the end of a task that ran. *)
