open Dromos_policy_core

val value : Core.expression -> Core.expression option
(** The value of an expression made of constants; [None] for any other
    expression. Typing has refused a division by the constant 0 before. *)
