(** Proves properties of a policy automatically; the user writes no invariants.

    The prover is sound and not complete. [Proved] says that the theorems of
    policy/theories apply to the policy as doc/policy/semantics.md reads it.
    [Refuted_obligation] says that a premise of a theorem fails, with a witness.
    A model checker then finds a trace (the property is violated) or none (the
    answer is not known). *)

open Dromos_policy_core.Core

type property =
  | Gcwc
  | Hcwc
  | Lcwc of event  (** the event is [New] or [Unblock] *)
  | Conservation
  | Waiting  (** bounded waiting: no thread starves *)

(** How often a waiting thread may be stolen. A stolen thread begins to wait
    again. *)
type stolen =
  | Never  (** the policy steals nothing *)
  | Levels of Waiting.levels
      (** while no thread comes, wakes, blocks or ends, the steals come to an
          end *)
  | Without_bound  (** no bound is known *)

type bound = {
  turns : int;
      (** a ready thread is chosen after at most [turns * n] schedulings of its
          core, where n is the number of threads there, unless the thread comes
          to another queue before *)
  ticks : int option;
      (** the number of ticks after which [tick] takes the core from a running
          thread. None: no bound is known, and the verdict supposes that each
          thread stops running *)
  stays : int;
      (** the most queues to which a thread comes before it runs: 1 where no
          waiting thread is moved *)
  stolen : stolen;
}

type verdict =
  | Proved of {
      obligations : Decide.proof list;
      theorem : string;
          (** the text with the theorem, which is proved once for all policies
          *)
      bound : bound option;  (** [Waiting] alone has a bound *)
    }
  | Refuted_obligation of Decide.witness
  | Unknown of { obligation : string; at : place; why : string }
  | Nothing_to_prove of string
      (** why the property says nothing about the policy *)

type result = {
  property : property;
  verdict : verdict;
  premises : relaxation list;
      (** the relaxations of the property by the policy; print them with the
          verdict *)
  seconds : float;
}

type report = {
  results : result list;
  troubles : string list;
      (** messages about provers in whose place the next prover answered *)
  total_seconds : float;
}

val policy : ?provers:Solver.prover list -> ?limit:float -> policy -> report
(** Proves all properties. [provers]: by default z3, then cvc5. [limit] (5 s) is
    for each property, as {!Decide.with_provers} says. A property that takes too
    much is [Unknown], with the reason.
    @raise Decide.No_prover where no prover works *)

val to_prove : policy -> property list
(** The properties that {!policy} does not answer with [Nothing_to_prove]. *)

val obligations : policy -> (property * Obligation.t list) list
(** The obligations that {!policy} would ask about; for [Waiting] the plainest
    way of each queue.
    @raise Symbolic.Too_many_paths
    @raise Term.Too_large *)

val assumptions : policy -> string list
(** The assumptions of the theorems about the machine, as far as no obligation
    shows them; one line each. *)

val premises : policy -> property -> relaxation list
(** The relaxations that concern the property. *)

val premise : relaxation -> string
(** The relaxation in one line. *)

val mended_by_balancing : policy -> bool
(** True if the policy conserves within at least one idle round of balancing,
    and has balancing. Then a proof of balancing proves LCWC too
    (policy/theories/within.mlw); {!policy} uses this proof where the
    obligations of a placement fail. *)

val mending : string
(** The file of that theorem. *)

val property_name : property -> string

val say_bound : bound -> string
(** The bound in one line, without a full stop. *)

val say : verdict -> string
(** The verdict in one line or a few, without a full stop. *)
