(** Obligations to provers: the first that decides is believed, the next is
    asked where one does not know, is late or does not work. *)

open Dromos_policy_core.Core

type proof = {
  obligation : string;
  about : string;
  prover : string;  (** "shape" where nothing had to be asked *)
  seconds : float;
  cases : int;
}

type witness = {
  refuted : string;  (** the obligation *)
  asks : string;
  at : place;
  values : (string * string) list;  (** what was seen, in the policy's words *)
  numbers : (string * int list) list;
      (** the same as numbers, each look apart: members, truth values too *)
  words : string;
      (** "src.cload = 2, dst.cload = 0: can_steal_core says false .." *)
  found_by : string;
}

type outcome =
  | Holds of proof
  | Refuted of witness
  | Open of { obligation : string; at : place; why : string }

type t

val with_provers : ?limit:float -> Solver.prover list -> (t -> 'a) -> 'a
(** The processes are started when they are first asked, and killed at the end.
    [limit] (5 s): what one property may take of each prover, all questions
    together, and of the making of the questions. *)

val property : t -> (unit -> 'a) -> ('a, Effort.spent) result
(** Begins a property: every prover has its limit again, and [f], which makes
    the obligations, is given as long ({!Effort.within}). *)

exception No_prover of (Solver.prover * Solver.failure) list
(** None of them works; each with what is wrong with it. *)

val obligation : t -> Obligation.t -> outcome
(** @raise No_prover *)

val troubles : t -> string list
(** what went wrong with a prover that another stood in for *)
