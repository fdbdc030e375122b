(** OCaml code for a policy's stealing: the definitions for the record
    [stealing], and the record. *)

open Dromos_policy_core.Core

val definitions : Functions.t -> steal -> string list
