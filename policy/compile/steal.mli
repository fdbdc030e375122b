(** OCaml code for how a policy steals: the definitions from which its record
    [stealing] is made, and that. *)

open Dromos_policy_core.Core

val definitions : Functions.t -> steal -> string list
