(** GCWC of flat balancing: the obligations under which the theorem of
    policy/theories/balancing.mlw applies (Lepers et al., EuroSys 2020, sections
    3.2 and 4.2, with the machine of doc/policy/semantics.md).

    Four are about what the policy says:
    - [filter_complete]: [can_steal_core] admits a core of two or more threads
      for an idle one;
    - [steal_safe]: [steal_thread] takes nothing from a core of one thread;
    - [steal_progress]: it takes a thread of a core of two or more for an idle
      core;
    - [until_sound]: the search goes on while the core has nothing.

    Where threads may not run everywhere, [steal_progress] is asked of each that
    may run on the destination, and [offer_goes_on]: `until` of [steal_thread]
    ends nothing before one was taken.

    The others are about its frame: [balance_alone] (nobody else steals
    meanwhile), [balance_complete] (it steals for every idle core),
    [select_member] ([select_core] names a core that the filter let through). *)

open Dromos_policy_core.Core

val obligations : policy -> steal -> handler -> Obligation.t list
(** of the [balancing] handler.
    @raise Symbolic.Too_many_paths *)

(** {1 For the other properties} *)

val core : string -> Term.t
val event_name : event -> string

val setting :
  policy ->
  ?target:Term.t ->
  ?target_runs:bool ->
  ?moves_ready:bool ->
  ?filtered:Term.symbol ->
  ?instances:Term.t list ->
  Symbolic.core_facts list ->
  Symbolic.setting

val begin_with : Symbolic.setting -> Symbolic.t * Symbolic.path
(** its cores are cores, and different *)

val role : ?locked:bool -> Term.t -> Symbolic.role option -> Symbolic.core_facts

val may_run :
  Symbolic.t ->
  Symbolic.path ->
  policy ->
  thread:Term.t ->
  core:Term.t ->
  (Symbolic.path -> Term.t -> unit) ->
  unit
(** What the affinity of the policy says; true without one. *)

type taking = {
  execution : Symbolic.t;
  path : Symbolic.path;
  took : bool;
  fits : Term.t;  (** the candidate may run on the destination *)
  count : Term.t;  (** of the source, whose lock is held *)
}

val take :
  policy ->
  steal ->
  least:bool ->
  destination_role:Symbolic.role option ->
  with_:(Term.t -> Term.t) ->
  taking list
(** All paths of [steal_thread] for one candidate. [least]: the candidate is one
    of the lightest ready threads; [with_]: the facts about the count of the
    source. *)

val selects :
  policy ->
  name:string ->
  phase:string ->
  what:string ->
  expression ->
  Obligation.t
(** that it names a filtered one *)

val search :
  policy ->
  steal ->
  name:string ->
  what:string ->
  repeated:bool ->
  expression option ->
  Obligation.t
(** that it goes on while the destination has nothing *)
