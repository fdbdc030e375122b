(** Statements. Faults of a statement are reported, and the next is looked at.
*)

open Dromos_policy_core
open Dromos_policy_syntax

val block : Scope.t -> Ast.block -> Core.block

val returns : Core.block -> bool
(** On every path. *)
