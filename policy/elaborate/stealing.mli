(** The three phases of stealing, with the names that the policy gives to the
    two cores, the two groups and the thread. *)

open Dromos_policy_core
open Dromos_policy_syntax

val steal : Scope.t -> Ast.steal -> Core.steal
