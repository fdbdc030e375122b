(** The declarations before the code: constants, types, attributes, states. *)

open Dromos_policy_core
open Dromos_policy_syntax

type t = {
  attributes : Core.attribute list;  (** by id *)
  states : Core.state list;  (** by id *)
  computed : (string * computed) list;
      (** Lazy attributes, by the hidden names of their functions. *)
}

and computed = {
  owner : Core.owner;
  ty : Core.ty;
  value : Ast.exp;
  named : Ast.name;
}

val all : Scope.t -> Ast.t -> t
(** Declares all of them in the scope, and functions too. *)
