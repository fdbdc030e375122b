(** Prints parts of a policy that take one line, or a few if they are long. *)

open Ast

val width : int
(** The columns of a page: 80. *)

val text : Format.formatter -> string -> unit

val exp : int -> Format.formatter -> exp -> unit
(** Adds parentheses if the expression binds less than an operator of this
    level. *)

val postfix : int
(** The level of expressions that never need parentheses. *)

val simple : Format.formatter -> stmt_desc -> unit
(** A statement without statements inside. *)

val optional_order : Format.formatter -> order -> unit
val order : Format.formatter -> order -> unit
val ty : Format.formatter -> ty -> unit
val parameters : Format.formatter -> parameter list -> unit
val declared : Format.formatter -> declared -> unit
val declarator : Format.formatter -> name * exp option -> unit

val separated :
  (Format.formatter -> 'a -> unit) -> Format.formatter -> 'a list -> unit
(** Separates the items by commas. *)

val class_name : Dromos_policy_core.Core.state_class -> string
val until : Format.formatter -> exp option -> unit

val flat : int -> (Format.formatter -> unit) -> string
(** The text, laid out in this number of columns. *)

val on_one_line : (Format.formatter -> unit) -> string
val expression : exp -> string
