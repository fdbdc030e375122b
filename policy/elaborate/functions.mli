(** Functions, each elaborated when it is first called: so callees get the
    smaller numbers, and a call of what is not finished is a recursion. *)

open Dromos_policy_core
open Dromos_policy_syntax

type t

val create : Scope.t -> Ast.func list -> Declarations.t -> t
(** Gives the scope its functions. *)

val rest : t -> unit
(** Those that nobody calls. *)

val all : t -> Core.func list
(** By number. *)

val method_ : t -> Ast.func -> Core.func
(** One of the interface, which nobody in the policy calls. *)
