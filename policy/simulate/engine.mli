(** Discrete-event simulation of a policy over a workload.

    The policy's own handlers choose what cores run, on the machine explored by
    the model checker ({!Dromos_policy_semantics.Machine}). A handler runs to
    its end at once, and costs time by its steps. Deterministic. *)

open Dromos_policy_core
open Dromos_policy_semantics

type costs = {
  switch : float;
      (** the time of a switch between two threads, in microseconds *)
  step : float;  (** the time of a handler's step *)
  migration : float;  (** the time added to the first run on another core *)
  tick : float;  (** the time between the ticks of a core *)
  balance : float;  (** the time between periodic balancings *)
}

val usual : costs
(** The values 2, 0.05, 5, 1000 and 4000. *)

(** The events of a run, in order of time, for {!Summary} and {!Drawing}. *)
type happening =
  | Ran of { core : int; thread : int; from : float; until : float }
  | Woke of { thread : int; at : float }  (** the thread became runnable *)
  | Began of { thread : int; core : int; at : float }
      (** the thread began to run *)
  | Requeued of { thread : int; core : int; at : float }
      (** the thread ran, and is ready again: preempted, or after a yield *)
  | Placed of { thread : int; core : int; at : float }
  | Stolen of { thread : int; from_core : int; to_core : int; at : float }
  | Left of { thread : int; at : float; ended : bool }
  | Balanced of { core : int; at : float; steps : int }

type result = {
  names : string array;  (** the names of the threads *)
  happenings : happening list;  (** first to last *)
  finished : float;
      (** the time at which the last thread ended, or at which the run stopped
          without an end *)
  computed : float array;  (** the running time of each thread *)
  may_run : (thread:int -> core:int -> bool) option;
      (** the policy's affinity, if any *)
  stuck : string option;
      (** the threads that never end: they wait for each other, were lost by the
          policy, or were not done at the limit *)
}

val drawing : seed:int -> int -> int
(** [drawing ~seed] draws for all [any] of a run with this seed, one after the
    other: for n members the number of one member. *)

val run :
  ?costs:costs ->
  ?seed:int ->
  ?limit:float ->
  ?watch:
    (Core.event -> self:int -> target:int -> waker:int -> Machine.state -> unit) ->
  Core.policy ->
  Topology.t ->
  Workload.t ->
  result
(** Runs until all threads have ended, or for [limit] (an hour) of simulated
    time. [seed] (1): for the draws of [random()] and [any]. [watch] is called
    before each handler, with the state in which the handler begins; tests make
    the same state on their own. *)
