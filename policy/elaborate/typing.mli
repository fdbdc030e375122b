(** Expressions: names become what they name, types are checked, division by
    anything but a constant is refused. Faults are raised. *)

open Dromos_policy_core
open Dromos_policy_syntax

val expression : Scope.t -> ?expected:Core.ty -> Ast.exp -> Core.expression
(** Of the expected type, if one is given; [none] needs one. *)

val element : Core.expression -> Core.ty option
(** Of a collection. *)

val among : Scope.t -> Ast.exp -> Core.expression
(** What a loop goes over, if it is a collection: a READY state of one thread is
    one here, and that thread elsewhere. *)

val order : Scope.t -> Core.ty -> Ast.order -> Core.key list
(** Of things of this type. *)

val state_place :
  Scope.t -> Ast.exp -> (Core.expression option * Core.state) option
(** [c.ready], or [ready] of the core where we are, if it has one. *)

val arguments :
  Scope.t -> Ast.name -> Core.func -> Ast.exp list -> Core.expression list

val call :
  Scope.t ->
  Core.place ->
  Ast.name ->
  Ast.exp list ->
  Core.func * Core.expression list
(** Of a function of the policy. *)

val owned : Core.owner -> Core.ty option
(** The type of what has such attributes. *)
