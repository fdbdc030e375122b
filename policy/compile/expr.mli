(** Translates expressions of a policy to OCaml. An operand gets parentheses
    where needed. *)

open Dromos_policy_core.Core

exception Not_compiled of place * string

type context = {
  names : Names.t;
  moving : Names.moving;
  mutable_locals : int list;  (** the ids of variables that become references *)
  declarations : statement list;
      (** the declaring statements of these variables, compared physically *)
}

val expression : context -> expression -> string
val operand : context -> expression -> string

val word : context -> expression -> string
(** An operand as an int, the form of attributes. *)

val keys : context -> key list -> string
(** A list of functions of a core, for the lowest values first. *)

val all_threads : context -> expression -> string
(** The list of a queue's threads. *)

val thread_keys : key list -> string
(** The body of a function of a thread [t]. *)

val as_word : expression -> string -> string
(** Makes an int of the expression's text. *)

val from_the_left :
  context -> expression list -> (string list -> string) -> string
(** The text made of these operands. The operands are evaluated from left to
    right if the order can make a difference. *)
