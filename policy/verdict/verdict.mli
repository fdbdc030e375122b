(** The automatic verdicts about a policy. Each property is proved; or violated,
    with a trace; or unknown, with the open obligation and the size of the
    searched machines.

    The prover is asked first: the prover is sound and quick, and incomplete. If
    the prover does not prove a property, the model checker tries to violate it.
    If the prover proves a property, the model checker searches for half a
    second, as a second judge. No property is both proved and violated:
    {!Contradiction} is a fault of this program. *)

open Dromos_policy_explore
open Dromos_policy_prove

type property = Prove.property

type answer =
  | Proved of {
      obligations : Decide.proof list;
      theorem : string;
      bound : Prove.bound option;  (** for bounded waiting *)
    }
  | Violated of { trace : Trace.t; hint : string option }
      (** [hint]: the prover's finding about the violation *)
  | Unknown of {
      obligation : string;  (** the open obligation *)
      at : Core.place option;
      why : string;  (** the reason, with a witness *)
    }
  | Nothing_to_prove of string

type result = {
  property : property;
  answer : answer;
  premises : Core.relaxation list;
      (** the relaxations by which the policy promises less; read them with any
          answer *)
  searched : Explore.result option;  (** the search of the model checker *)
  seconds : float;
}

type report = {
  policy : Core.policy;
  machine : string option;
      (** the name of the machine, if it is not the usual one *)
  results : result list;
  troubles : string list;
      (** the provers that did not work, and those that answered in their place
      *)
  no_prover : string list;
      (** the reasons why no prover worked and nothing could be proved; else
          empty *)
  total_seconds : float;
}

exception Contradiction of string

val check :
  ?provers:Solver.prover list ->
  ?limit:float ->
  ?seconds:float ->
  ?second:float ->
  ?machine:string ->
  ?unlocked:Core.policy ->
  Core.policy ->
  report
(** Checks all properties of the policy.

    [limit] (5 s) is for each property: the time of each prover, and the time to
    make the obligations. [seconds] (2 s) is for the search of each property,
    shared among its promises. [second] (0.5 s, at most [seconds]) is for the
    search of a proved property, as a second judge; 0 for no search. A property
    cut off by a limit is [Unknown].

    [machine] is only printed in the report: the policy must be made for that
    machine already. With [unlocked], stealing holds the lock of the source for
    each move alone ({!Dromos_policy_semantics.Scope.field-source_lock}). A
    result that rests on proofs of balancing is then [Unknown], unless a search
    finds a violation by the policy or by [unlocked], the same policy where
    every thread may run everywhere. The search of [unlocked] asks for more than
    that of the policy.
    @raise Contradiction if a search violates a proved property, with the run *)

val assumptions : report -> string list
(** The assumptions of the report's proofs about the machine, one line each;
    print them with the proofs. *)

val all_proved : report -> bool
val any_violated : report -> bool

(** {1 Printing} *)

val pp : ?trace:bool -> ?times:bool -> file:string -> report Fmt.t
(** Prints one line for each property; with [trace] the steps of violations,
    with [times] the times. Both are true by default. *)

val to_json : file:string -> report -> Yojson.Safe.t
val header : string

val row : report -> string
(** A row of a table in Markdown: the policy, and the answers; "within k" means
    within k idle rounds of balancing. *)
