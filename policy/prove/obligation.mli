(** What has to hold for a theorem of policy/theories to apply to a policy. Each
    is a finite number of cases without quantifiers: the roles, what is known
    and the path imply what is shown. A model of those and not of this is a
    witness. *)

open Dromos_policy_core.Core

type case = {
  roles : (Term.t * Term.t) list;
      (** a core whose role at the end is supposed, and what follows for a look
          at it *)
  known : Term.t list;  (** of values, whatever the path *)
  path : Term.t list;  (** what was found where there were several ways *)
  shown : Term.t;
  consequence : string;  (** said after the values of a witness *)
}

type t = {
  name : string;
  about : string;  (** what it asks for, in a sentence without its full stop *)
  place : place;
  cases : case list;  (** none: it holds by the shape of the policy *)
}

val case : roles:Term.t list -> Symbolic.path -> Term.t -> string -> case
(** [roles]: the cores that have one. Spends the facts of the path. *)

val counterexample : case -> Term.t list
(** what a witness satisfies *)

val fails : name:string -> about:string -> place -> string -> t
(** One that the shape of the policy refutes: no prover is needed. *)
