(** The accounts of {!Crew}: which runs are active, which domains serve whom,
    and what the bound allows. Internal; nothing here blocks but the lock, and
    all functions but {!locked} and {!wait_until_written} are called with it
    held. *)

open Fiber

type entry
(** An active run. *)

type helper = {
  mutable job : worker option;  (** the role it serves, or is about to *)
  mutable asleep : bool;  (** parked, and only a poke wakes it up *)
  mutable patience : int;
      (** nanoseconds that it looks for a job before it sleeps; the helper's own
      *)
  wake_in : Unix.file_descr;  (** non-blocking *)
  wake_out : Unix.file_descr;
}
(** A domain of the set. *)

val locked : (unit -> 'a) -> 'a

val alive : int ref
(** Helpers whose domain lives or is being spawned. *)

val lively : int ref
(** Helpers whose domain has {!began}, and neither retired nor given up. *)

val find : run -> entry option

val runs : unit -> run list
(** The active ones. *)

(** {1 Runs} *)

val enter : run -> asked:int -> unit
val leave : run -> unit

val excess : unit -> worker list
(** Marks as many borrowed workers as run beyond the bound: they are to be
    woken, and leave after their present task. *)

val wait_until_written : run -> unit
(** Of a run that is over: until what its tasks printed on borrowed domains has
    been written. Without the lock. *)

(** {1 Helpers} *)

(** What a request for a worker comes to. *)
type answer =
  | Nothing
  | Poke of helper  (** has a job now, and is parked: to be woken if asleep *)
  | Spawn of helper  (** has a job now, and no domain yet *)

val request : (unit -> helper) -> entry -> answer
(** [request make entry]: one more worker for a run, if it has a vacant role and
    the bound allows one. *)

val reconsider : (unit -> helper) -> answer list
(** The same for each run that was refused one. *)

val announce : worker -> unit
(** This worker is about to leave; its role counts as vacant from here on. *)

val release : helper -> worker -> unit
(** The helper's role is free, and what its tasks printed is written. The helper
    has the next job, or is parked. *)

val stays_or_release : helper -> worker -> bool
(** After {!announce} and a last look around: [true] if the worker has found
    something, or if somebody has asked for one meanwhile; else {!release}s it.
    One step, so that the role counts as vacant without a break. *)

val failed : helper -> unit
(** No domain could be spawned for it. *)

val began : unit -> unit
(** A helper's domain lives. *)

val give_up : helper -> unit
(** The helper's domain, which serves, is taken for something else: its role is
    free, and nobody is asked for in its place. *)

val falls_asleep : helper -> bool
(** Parked without a job, so that it may sleep until it is poked. *)

val wakes_up : helper -> bool
(** Whether it was asleep; it is not any more. *)

val retire : helper -> bool
(** A parked helper ends, unless it has been given a job. *)
