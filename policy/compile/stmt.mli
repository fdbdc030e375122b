(** OCaml code for a policy's statements.

    [Return] in the middle becomes an [if] whose other branch is the rest; in a
    loop it becomes [List.find_map]; [Break] raises [Exit] within its loop. *)

open Dromos_policy_core.Core

val body :
  Names.t ->
  Names.moving ->
  result:ty option ->
  parameters:local list ->
  block ->
  string
(** The whole body of a function or handler. *)
