(** What can be said of a policy, automatically: for each property that it is
    proved, or violated, with a trace, or unknown, with what is open and how far
    machines were searched.

    The prover is asked first: it is sound and quick, and incomplete. What it
    cannot prove the model checker tries to violate; what it proves the model
    checker tries for half a second, as a second judge. A property is never
    both: {!Contradiction} is a fault of this program. *)

open Dromos_policy_explore
open Dromos_policy_prove

type property = Prove.property

type answer =
  | Proved of {
      obligations : Decide.proof list;
      theorem : string;
      bound : Prove.bound option;  (** of bounded waiting *)
    }
  | Violated of { trace : Trace.t; hint : string option }
      (** [hint]: what the prover found of it *)
  | Unknown of {
      obligation : string;  (** the one that is open *)
      at : Core.place option;
      why : string;  (** with its witness *)
    }
  | Nothing_to_prove of string

type result = {
  property : property;
  answer : answer;
  premises : Core.relaxation list;
      (** what the policy promises less, to be read with any answer *)
  searched : Explore.result option;  (** by the model checker *)
  seconds : float;
}

type report = {
  policy : Core.policy;
  machine : string option;  (** whose, if not the usual one *)
  results : result list;
  troubles : string list;  (** provers that did not work, and who stood in *)
  no_prover : string list;
      (** not empty: none worked, nothing could be proved; why *)
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
(** [limit] (5 s) for each property: what each prover may take over it, and the
    making of what they are asked. [seconds] (2 s) for the search of each
    property, shared by the promises it has; [second] (0.5 s, and [seconds] at
    most) for a search of what is proved: two judges; 0: none. What the limits
    cut off is [Unknown]. [machine] is only said in the report: the policy is
    what that machine makes of it. [unlocked]: stealing holds the lock of the
    source for each move alone
    ({!Dromos_policy_semantics.Scope.field-source_lock}). Then what rests on
    proofs of balancing is [Unknown], if it is not violated, by the policy or by
    [unlocked]: the same where every thread may run everywhere, of which more is
    asked.
    @raise Contradiction if that finds a violation, with the run. *)

val assumptions : report -> string list
(** What the proofs of the report suppose of the machine, a line each: to be
    printed with them. *)

val all_proved : report -> bool
val any_violated : report -> bool

(** {1 Saying it} *)

val pp : ?trace:bool -> ?times:bool -> file:string -> report Fmt.t
(** A line for each property; with [trace] the steps of violations, with [times]
    how long it took. Both if not said. *)

val to_json : file:string -> report -> Yojson.Safe.t
val header : string

val row : report -> string
(** Of a table in Markdown: the policy, and what was answered; "within k" is
    within k idle rounds of balancing. *)
