(** Elaborates the three phases of stealing, with the policy's names for the two
    cores, the two groups and the thread. *)

open Dromos_policy_core
open Dromos_policy_syntax

val steal : Scope.t -> Ast.steal -> Core.steal
