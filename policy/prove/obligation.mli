(** The formulas that must hold for a theorem of policy/theories to apply to a
    policy. An obligation is a finite number of cases without quantifiers: the
    roles, the known facts and the path imply the formula [shown]. A model of
    the three in which [shown] is false is a witness. *)

open Dromos_policy_core.Core

type case = {
  roles : (Term.t * Term.t) list;
      (** pairs: a core with a supposed role at the end, and a fact that follows
          for an observation of the core *)
  known : Term.t list;  (** facts about values that hold on every path *)
  path : Term.t list;  (** the conditions assumed at branches of the path *)
  shown : Term.t;
  consequence : string;  (** the clause after the values of a witness *)
}

type t = {
  name : string;
  about : string;  (** the claim, in a sentence without its full stop *)
  place : place;
  cases : case list;
      (** without cases the obligation holds by the shape of the policy *)
}

val case : roles:Term.t list -> Symbolic.path -> Term.t -> string -> case
(** [roles]: the cores that have a role. Spends {!Effort} for each fact of the
    path. *)

val counterexample : case -> Term.t list
(** The formulas that a witness satisfies. *)

val fails : name:string -> about:string -> place -> string -> t
(** An obligation that the shape of the policy refutes: no prover is needed. *)
