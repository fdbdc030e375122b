(** OCaml expressions for a policy's. Those for an operand are in parentheses
    where they need them. *)

open Dromos_policy_core.Core

exception Not_compiled of place * string

type context = {
  names : Names.t;
  moving : Names.moving;
  mutable_locals : int list;  (** by id: they are references *)
  declarations : statement list;  (** theirs, physically *)
}

val expression : context -> expression -> string
val operand : context -> expression -> string

val word : context -> expression -> string
(** An operand, as the int that an attribute holds. *)

val keys : context -> key list -> string
(** A list of functions of a core, lowest first. *)

val all_threads : context -> expression -> string
(** The list of a queue's threads. *)

val thread_keys : key list -> string
(** The body of a function of a thread [t]. *)

val as_word : expression -> string -> string
(** The same of its text. *)

val from_the_left :
  context -> expression list -> (string list -> string) -> string
(** What is made of these operands, which are evaluated in their order where
    that shows. *)
