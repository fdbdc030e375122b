(** The tools of a scenario: two parties, chance, and a deadline. *)

type t = {
  a : Party.t;
  b : Party.t;
  chance : Random.State.t;
  scale : int;
      (** the number of rounds: 1 in [make test], more in the matrix *)
  deadline : float;
}

exception Wrong of string
(** A check of the scenario failed. *)

exception Hang of string
(** The deadline passed before the named task ended. *)

val wrong : ('a, unit, string, 'b) format4 -> 'a
val ensure : bool -> ('a, unit, string, unit) format4 -> 'a

(** {1 Tasks} *)

type 'a task

val start : t -> Party.t -> string -> 'a Step.t -> 'a task
(** [start env party name program] starts the program as a task of the party;
    [name] is for messages. The program's operations take place in direct form
    or as events, by chance, where the party has both. *)

val start_cancellable :
  t -> Party.t -> string -> ((unit -> unit) -> 'a Step.t) -> 'a task
(** A task for {!cancel}. Its scheduler cancels it, if possible; otherwise, and
    sometimes also then, each operation is a choice between the operation and
    the cancellation. The program gets the function that cancels its own task.
*)

val start_cancellable_plain :
  t -> Party.t -> string -> ((unit -> unit) -> 'a Step.t) -> 'a task
(** Like [start_cancellable], for programs with operations that have no event;
    if the party cannot cancel, [cancel] has no effect. *)

val cancel : 'a task -> unit
(** From any thread. *)

val join : 'a task -> ('a, exn) result
(** For the scenario's thread only. *)

val get : 'a task -> 'a
(** {!join}; an exception is {!Wrong}. *)

val cancelled : 'a task -> ('a, exn) result -> bool
(** True if the result is that of a cancelled task. Any other exception is
    {!Wrong}. *)

val ended : 'a task -> bool

(** {1 Time} *)

val settle : t -> unit
(** Waits long enough, most times, for the started tasks to wait. *)

val patiently : (float -> unit) -> unit
(** Calls the function with a delay, and again with longer delays while the
    result is {!Wrong}. For checks of an order of arrival, which cannot be
    observed. *)

val queue_up : t -> float -> Party.t -> string -> 'a Step.t -> 'a task
(** {!start}; returns the given time after the task has begun. *)

val jitter : t -> unit
(** Waits a short time, or not at all. *)

val short : t -> float
(** A timeout of up to a millisecond. *)

val rounds : t -> int -> int
(** The number times {!t.scale}. *)

val both_ways : t -> (Party.t -> Party.t -> unit) -> unit

val either : t -> Party.t
(** Either of the two parties. *)
