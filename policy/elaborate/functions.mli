(** The functions of a policy. Each function is elaborated at its first call.
    Called functions therefore get smaller numbers than their callers, and a
    call of an unfinished function is a recursion. *)

open Dromos_policy_core
open Dromos_policy_syntax

type t

val create : Scope.t -> Ast.func list -> Declarations.t -> t
(** Gives the scope its functions. *)

val rest : t -> unit
(** Elaborates the functions without a call. *)

val all : t -> Core.func list
(** All functions, by number. *)

val method_ : t -> Ast.func -> Core.func
(** Elaborates a function of the interface, which no policy calls. *)
