(** What has to hold for a theorem of policy/theories to apply to a policy. Each
    is a finite number of cases without quantifiers: [given] implies [shown]. A
    model of [given] and not [shown] is a witness. *)

open Dromos_policy_core.Core

type case = {
  given : Term.t list;
  shown : Term.t;
  consequence : string;  (** said after the values of a witness *)
}

type t = {
  name : string;
  about : string;  (** what it asks for, in a sentence without its full stop *)
  place : place;
  cases : case list;  (** none: it holds by the shape of the policy *)
}

val counterexample : case -> Term.t list
(** what a witness satisfies *)

val fails : name:string -> about:string -> place -> string -> t
(** One that the shape of the policy refutes: no prover is needed. *)
