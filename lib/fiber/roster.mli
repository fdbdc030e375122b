(** The bookkeeping of the domain pool ({!Crew}): the active runs, the role that
    each domain serves, and the domains that the bound still allows. Internal.
    Nothing here blocks, apart from the lock and {!wait_until_written}. The
    caller holds the lock in all functions except {!locked} and
    {!wait_until_written}. *)

open Types

type entry
(** An active run. *)

type helper = {
  mutable job : worker option;
      (** the role that the domain serves, or is about to serve *)
  mutable asleep : bool;
      (** the domain is parked, and only a poke wakes the domain *)
  mutable patience : int; [@owner Crew]
      (** The time for which the domain looks for a job before it sleeps, in
          nanoseconds. Only the domain itself uses the field. *)
  wake_in : Unix.file_descr;  (** non-blocking *)
  wake_out : Unix.file_descr;
}
(** A pool domain ([helper]): a domain of the pool. *)

val locked : (unit -> 'a) -> 'a

val alive : int ref
(** The number of pool domains that live or are being spawned. *)

val lively : int ref
(** The number of pool domains that have {!began}, and have neither retired nor
    given up. *)

val find : run -> entry option

val runs : unit -> run list
(** The active runs. *)

(** {1 Runs} *)

val enter : run -> asked:int -> unit
val leave : run -> unit

val excess : unit -> worker list
(** Selects as many borrowed workers as run beyond the bound, and asks each to
    leave after its present task. The caller wakes the workers in the result. *)

val wait_until_written : run -> unit
(** Waits until the output of an ended run's tasks on borrowed domains has been
    written. Called without the lock. *)

(** {1 Pool domains} *)

(** The outcome of a request for a worker. *)
type answer =
  | Nothing
  | Poke of helper
      (** the pool domain has a job now and is parked: wake the domain if it is
          asleep *)
  | Spawn of helper
      (** the pool domain has a job now, and is still to be spawned *)

val request : (unit -> helper) -> entry -> answer
(** [request make entry] asks for one more worker for a run. A worker comes if
    the run has a vacant role and the bound allows a worker. *)

val reconsider : (unit -> helper) -> answer list
(** Repeats the request for each run whose request the bound refused. *)

val announce : worker -> unit
(** The worker is about to leave its role; the role counts as vacant from now
    on. *)

val release : helper -> worker -> unit
(** Frees the pool domain's role; the output of the role's tasks is written by
    now. The pool domain gets the next job, or is parked. *)

val stays_or_release : helper -> worker -> bool
(** The last step of leaving a role, after {!announce} and a last look around.
    [true]: the worker stays, because the worker has found a task or a request
    came meanwhile. [false]: the worker is {!release}d. A single step under the
    lock, so the role counts as vacant without a break. *)

val failed : helper -> unit
(** No domain could be spawned for this record. *)

val began : unit -> unit
(** A pool domain has begun. *)

val give_up : helper -> unit
(** Takes the pool domain, which serves a role, for another purpose: the role
    becomes free, and no other domain is requested for the role. *)

val falls_asleep : helper -> bool
(** [true]: the pool domain has no job, and may sleep until it is poked. *)

val wakes_up : helper -> bool
(** [true]: the pool domain was asleep. The domain is awake afterwards. *)

val retire : helper -> bool
(** [true]: the parked pool domain has no job, and ends. *)
