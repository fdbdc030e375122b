(** Discrete-event simulation of a policy over a workload.

    Cores run what the policy's own handlers choose, by the same machine that
    the model checker explores ({!Dromos_policy_semantics.Machine}); handlers
    run to their end at once, and cost time by their steps. Deterministic. *)

open Dromos_policy_core
open Dromos_policy_semantics

type costs = {
  switch : float;  (** from one thread to another, microseconds *)
  step : float;  (** of a handler *)
  migration : float;  (** added to the first run on another core *)
  tick : float;  (** between the ticks of a core *)
  balance : float;  (** between periodic balancings *)
}

val usual : costs
(** 2, 0.05, 5, 1000 and 4000. *)

(** What happened, in order of time: for {!Figures} and {!Drawing}. *)
type happening =
  | Ran of { core : int; thread : int; from : float; until : float }
  | Woke of { thread : int; at : float }  (** became runnable *)
  | Began of { thread : int; core : int; at : float }  (** runs *)
  | Requeued of { thread : int; core : int; at : float }
      (** it ran, and is ready again: preempted, or it yielded *)
  | Placed of { thread : int; core : int; at : float }
  | Stolen of { thread : int; from_core : int; to_core : int; at : float }
  | Left of { thread : int; at : float; ended : bool }
  | Balanced of { core : int; at : float; steps : int }

type result = {
  names : string array;  (** of the threads *)
  happenings : happening list;  (** first to last *)
  finished : float;  (** when the last thread ended *)
  computed : float array;  (** time that each thread has run *)
  may_run : (thread:int -> core:int -> bool) option;
      (** the policy's affinity, if it has one *)
  stuck : string option;
      (** threads wait for each other for ever, or the policy lost one, and who
      *)
}

val drawing : seed:int -> int -> int
(** [drawing ~seed] is what all [any] of a run with this seed draw, one after
    the other: of n members the number of one. *)

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
(** Until all threads have ended, or [limit] (an hour) of simulated time. [seed]
    (1): of what [random()] and [any] draw. [watch] is called before each
    handler, with the state in which it begins: tests make the same state by
    themselves. *)
