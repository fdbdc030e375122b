(** GCWC of flat balancing: the obligations under which the theorem of
    policy/theories/balancing.mlw applies (Lepers et al., EuroSys 2020, sections
    3.2 and 4.2, with the machine of doc/policy/semantics.md).

    Four obligations are about the text of the policy:
    - [filter_complete]: [can_steal_core] admits a core of two or more threads
      for an idle core;
    - [steal_safe]: [steal_thread] takes nothing from a core of one thread;
    - [steal_progress]: [steal_thread] takes a thread of a core of two or more
      for an idle core;
    - [until_sound]: the search goes on while the core has nothing.

    In a policy with an affinity, [steal_progress] asks for each thread that may
    run on the destination. One more obligation, [offer_goes_on], says that
    `until` of [steal_thread] does not end the offering before a thread was
    taken.

    The other obligations are about the frame of the search. [balance_alone]: no
    other core steals meanwhile. [balance_complete]: the handler steals for
    every idle core. [select_member]: [select_core] names a core that the filter
    let through. *)

open Dromos_policy_core.Core

val obligations : policy -> steal -> handler -> Obligation.t list
(** The obligations of the [balancing] handler.
    @raise Symbolic.Too_many_paths *)

(** {1 For the other properties} *)

val core : string -> Term.t

val setting :
  policy ->
  ?target:Term.t ->
  ?target_runs:bool ->
  ?moves_ready:bool ->
  ?filtered:Term.symbol ->
  ?instances:Term.t list ->
  Types.core_facts list ->
  Types.setting

val begin_with : Types.setting -> Symbolic.t * Symbolic.path
(** The first path of an execution in this setting. On the path the cores of the
    setting exist and differ from each other. *)

val role : ?locked:bool -> Term.t -> Types.role option -> Types.core_facts

val may_run :
  Symbolic.t ->
  Symbolic.path ->
  policy ->
  thread:Term.t ->
  core:Term.t ->
  (Symbolic.path -> Term.t -> unit) ->
  unit
(** Evaluates the affinity of the policy for this thread and this core. The
    value is true if the policy has no affinity. *)

type taking = {
  execution : Symbolic.t;
  start : Symbolic.path;  (** before [steal_thread] *)
  path : Symbolic.path;
  took : bool;
  fits : Term.t;  (** the candidate may run on the destination *)
  count : Term.t;  (** the word of the source, whose lock is held *)
}

val take :
  ?exact:bool ->
  policy ->
  steal ->
  least:bool ->
  destination_role:Types.role option ->
  with_:(Term.t -> Term.t) ->
  taking list
(** All paths of [steal_thread] for one candidate. [least]: the candidate is one
    of the lightest ready threads. [with_]: gives a fact about the count of the
    source. [exact] (by default false): the words of the destination are exact
    too, and do not change: no other handler is at work there. *)

(** {1 Steals level the cores}

    For {!Waiting}: a steal from a core of at least two more threads lowers the
    sum of the squares of the cores' counts by at least 2; a steal of a load
    less than the difference lowers the sum of the squares of the cloads. So,
    while no thread comes, wakes, blocks or ends, the steals come to an end.
    Both obligations suppose that one core steals at a time, and require it. *)

val levels_counts : policy -> steal -> Obligation.t

val levels_loads : policy -> steal -> Obligation.t list
(** No obligation if loads are alike, or change while threads run or wait. *)

val selects :
  policy ->
  name:string ->
  phase:string ->
  what:string ->
  expression ->
  Obligation.t
(** The obligation that the selection names a member of the filtered set. *)

val search :
  policy ->
  steal ->
  name:string ->
  what:string ->
  repeated:bool ->
  expression option ->
  Obligation.t
(** The obligation that the search goes on while the destination has nothing. *)
