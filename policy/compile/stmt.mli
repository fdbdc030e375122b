(** Translates statements of a policy to OCaml.

    A [Return] in the middle becomes an [if] with the rest of the block as
    second branch. In a loop it becomes [List.find_map]. [Break] raises [Exit]
    within the loop. *)

open Dromos_policy_core.Core

val body :
  Names.t ->
  Names.moving ->
  result:ty option ->
  parameters:local list ->
  block ->
  string
(** The whole body of a function or handler. *)
