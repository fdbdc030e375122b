(** What can be proved of a policy, automatically: no invariant is asked of
    anybody.

    Sound, not complete: [Proved] says that the theorems of policy/theories
    apply to the policy as doc/policy/semantics.md reads it.
    [Refuted_obligation] says that one of their premises fails, with a witness:
    a model checker has then to find the trace (the property is violated) or not
    (it is unknown). *)

open Dromos_policy_core.Core

type property =
  | Gcwc
  | Hcwc
  | Lcwc of event  (** of [New] or [Unblock] *)
  | Conservation
  | Waiting  (** bounded waiting: no thread starves *)

type bound = {
  turns : int;
      (** a ready thread is chosen after so many times n schedulings of its
          core, of n threads, unless it comes to another queue before *)
  ticks : int option;
      (** after which [tick] takes the core from a running thread; none: nothing
          is known, and that a thread stops running is supposed *)
  stays : int;
      (** queues that a thread comes to before it runs, at most: 1 where none is
          moved while it waits *)
}

type verdict =
  | Proved of {
      obligations : Decide.proof list;
      theorem : string;  (** where it is proved once for all policies *)
      bound : bound option;  (** of [Waiting] *)
    }
  | Refuted_obligation of Decide.witness
  | Unknown of { obligation : string; at : place; why : string }
  | Nothing_to_prove of string  (** why the property says nothing here *)

type result = {
  property : property;
  verdict : verdict;
  premises : relaxation list;
      (** what the policy does not promise of the property: to be printed with
          the verdict *)
  seconds : float;
}

type report = {
  results : result list;
  troubles : string list;  (** provers that another stood in for *)
  total_seconds : float;
}

val policy : ?provers:Solver.prover list -> ?limit:float -> policy -> report
(** z3, then cvc5; [limit] (5 s) for each property, as {!Decide.with_provers}
    says. What is too much is Unknown, and says so.
    @raise Decide.No_prover where no prover works *)

val to_prove : policy -> property list
(** those that {!policy} does not answer with [Nothing_to_prove] *)

val obligations : policy -> (property * Obligation.t list) list
(** What would be asked; of [Waiting] the plainest way of each queue.
    @raise Symbolic.Too_many_paths
    @raise Term.Too_large *)

val assumptions : policy -> string list
(** What the theorems suppose of the machine, and no obligation shows: a line
    each. *)

val premises : policy -> property -> relaxation list
(** the relaxations that concern a property *)

val premise : relaxation -> string
(** a line *)

val mended_by_balancing : policy -> bool
(** It conserves within some idle rounds of balancing, at least one: then LCWC
    is proved if balancing is (policy/theories/within.mlw), whether a placement
    needs it or not. *)

val mending : string
(** the theorem that says so *)

val property_name : property -> string

val say_bound : bound -> string
(** a line, without a full stop *)

val say : verdict -> string
(** a line or a few, without a full stop *)
