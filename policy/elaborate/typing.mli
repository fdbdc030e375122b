(** Elaborates expressions: resolves names, checks types, and refuses a division
    by the constant 0. Faults are raised. *)

open Dromos_policy_core
open Dromos_policy_syntax

val expression : Scope.t -> ?expected:Core.ty -> Ast.exp -> Core.expression
(** The expression, of the expected type if one is given. [none] needs an
    expected type. *)

val element : Core.expression -> Core.ty option
(** The type of the elements of a collection. *)

val among : Scope.t -> Ast.exp -> Core.expression
(** The collection of a loop. A READY state of one thread is a collection here,
    and elsewhere stands for its thread. *)

val order : Scope.t -> Core.ty -> Ast.order -> Core.key list
(** An order over elements of this type. *)

val state_place :
  Scope.t -> Ast.exp -> (Core.expression option * Core.state) option
(** [c.ready], or [ready] for the core of the current place, if any. *)

val arguments :
  Scope.t -> Ast.name -> Core.func -> Ast.exp list -> Core.expression list

val call :
  Scope.t ->
  Core.place ->
  Ast.name ->
  Ast.exp list ->
  Core.func * Core.expression list
(** A call of a function of the policy. *)

val owned : Core.owner -> Core.ty option
(** The type of the owner of an attribute. *)
