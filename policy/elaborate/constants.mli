open Dromos_policy_core

val value : Core.expression -> Core.expression option
(** What an expression of constants comes to; [None] for others. The divisions
    in it are by other constants than 0 already. *)
