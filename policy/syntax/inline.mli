(** What is printed into a line of a policy, or a few if it is long. *)

open Ast

val width : int
(** Columns of a page: 80. *)

val text : Format.formatter -> string -> unit

val exp : int -> Format.formatter -> exp -> unit
(** In parentheses if it binds less than an operator of this level. *)

val postfix : int
(** The level of what needs no parentheses anywhere. *)

val simple : Format.formatter -> stmt_desc -> unit
(** A statement with no statement inside. *)

val optional_order : Format.formatter -> order -> unit
val order : Format.formatter -> order -> unit
val ty : Format.formatter -> ty -> unit
val parameters : Format.formatter -> parameter list -> unit
val declared : Format.formatter -> declared -> unit
val declarator : Format.formatter -> name * exp option -> unit

val separated :
  (Format.formatter -> 'a -> unit) -> Format.formatter -> 'a list -> unit
(** By commas. *)

val class_name : Dromos_policy_core.Core.state_class -> string
val until : Format.formatter -> exp option -> unit

val flat : int -> (Format.formatter -> unit) -> string
(** Laid out in so many columns. *)

val on_one_line : (Format.formatter -> unit) -> string
val expression : exp -> string
