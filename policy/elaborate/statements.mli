(** Elaborates statements. A fault of a statement is reported, and elaboration
    goes on with the next statement. *)

open Dromos_policy_core
open Dromos_policy_syntax

val block : Scope.t -> Ast.block -> Core.block

val returns : Core.block -> bool
(** True if every path returns. *)
