(** What a scenario has at hand: two parties, chance, and a deadline. *)

type t = {
  a : Party.t;
  b : Party.t;
  chance : Random.State.t;
  scale : int;  (** how many rounds: 1 in [make test], more in the matrix *)
  deadline : float;
}

exception Wrong of string
(** Something is not as it must be. *)

exception Hang of string
(** The deadline passed while the named task had not ended. *)

val wrong : ('a, unit, string, 'b) format4 -> 'a
val ensure : bool -> ('a, unit, string, unit) format4 -> 'a

(** {1 Tasks} *)

type 'a task

val start : t -> Party.t -> string -> 'a Step.t -> 'a task
(** The string is for people. The program's operations take place in direct form
    or as events, by chance, where the party has both. *)

val start_cancellable :
  t -> Party.t -> string -> ((unit -> unit) -> 'a Step.t) -> 'a task
(** One that can be {!cancel}led: by its scheduler, or, where that is not
    possible and sometimes where it is, through a choice between each operation
    and being cancelled. The program is given what cancels its own task. *)

val start_cancellable_plain :
  t -> Party.t -> string -> ((unit -> unit) -> 'a Step.t) -> 'a task
(** The same for programs with operations that have no event; where the party
    cannot cancel, cancelling does nothing. *)

val cancel : 'a task -> unit
(** From anywhere. *)

val join : 'a task -> ('a, exn) result
(** By the scenario's thread alone. *)

val get : 'a task -> 'a
(** {!join}; an exception is {!Wrong}. *)

val cancelled : 'a task -> ('a, exn) result -> bool
(** Whether that is what being cancelled looks like. Another exception is
    {!Wrong}. *)

val ended : 'a task -> bool

(** {1 Time} *)

val settle : t -> unit
(** Long enough, most times, for the tasks that were started to wait. *)

val patiently : (float -> unit) -> unit
(** For what depends on the order in which tasks come, which nobody can see:
    calls the function with a delay, and again with longer ones while it is
    {!Wrong}. *)

val queue_up : t -> float -> Party.t -> string -> 'a Step.t -> 'a task
(** {!start}; returns that long after the task has begun. *)

val jitter : t -> unit
(** Some short time, or none. *)

val short : t -> float
(** A timeout of up to a millisecond. *)

val rounds : t -> int -> int
(** Times {!t.scale}. *)

val both_ways : t -> (Party.t -> Party.t -> unit) -> unit

val either : t -> Party.t
(** One of the two. *)
