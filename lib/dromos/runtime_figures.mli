(** The figures of a {!Runtime}: how many tasks are in which state, and the
    times they took. Internal.

    All figures are one immutable record in one atomic word, so a reader sees
    numbers that belong together: [accepted] is always the sum of [queued],
    [running], [finished], [failed] and [cancelled]. An update is a
    compare-and-set, repeated if another one came first: lock-free, from
    anywhere. *)

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

(** How a task that had begun ended. *)
type ending = Finished | Failed | Cancelled

val create : unit -> cell
val read : cell -> t

val refused : cell -> unit
(** A task was not accepted. *)

val accepted : cell -> unit
(** A task is in the queue from now on. *)

val withdrawn : cell -> unit
(** A task left the queue before it began: it was cancelled. *)

val begun : cell -> waited:int -> unit
(** A task left the queue and runs. *)

val ended : cell -> ran:int -> ending -> unit
(** A task that ran is over. *)
