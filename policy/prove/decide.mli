(** Sends obligations to provers. The answer of the first prover that decides is
    final. The next prover is asked if a prover does not know, is late or does
    not work. *)

open Dromos_policy_core.Core

type proof = {
  obligation : string;
  about : string;
  prover : string;  (** "shape" where no prover had to be asked *)
  seconds : float;
  cases : int;
}

type witness = {
  refuted : string;  (** the obligation *)
  asks : string;
  at : place;
  values : (string * string) list;
      (** the values that were observed, in the policy's words *)
  numbers : (string * int list) list;
      (** the same values as numbers, each observation apart; members of
          enumerations and booleans are numbers too *)
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
(** Runs a function with these provers. A prover's process is started at its
    first question and killed at the end. [limit] (5 s): the time that one
    property may take of each prover, for all questions together, and the time
    for making the questions. *)

val property : t -> (unit -> 'a) -> ('a, Effort.spent) result
(** Begins a property: every prover has the whole limit again. The function
    makes the obligations, and has the same limit ({!Effort.within}). *)

exception No_prover of (Solver.prover * Solver.failure) list
(** No prover works. The list says for each prover what is wrong. *)

val obligation : t -> Obligation.t -> outcome
(** @raise No_prover *)

val troubles : t -> string list
(** A message for each trouble with a prover that made the next prover answer.
*)
