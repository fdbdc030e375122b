(** How long handlers are with their functions written out, and how deep
    expressions.

    Nothing calls itself, but functions that call others twice each grow past
    what can be proved, searched or compiled: the prover and the machine follow
    every call. O(size of the policy). *)

open Dromos_policy_core
open Dromos_policy_syntax

val most : int
(** Statements: 4,000. *)

val deepest : int
(** Operators inside one another: 5,000, as many as a chain of so many [&&] has.
    What compiles an expression takes time of the square of its depth. *)

val check : Core.policy -> Fault.t list
