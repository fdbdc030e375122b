(** Loops over sets whose members are not known ({!Symbolic} says how they are
    summarised; policy/theories/placement.mlw proves the two that matter most).
*)

open Dromos_policy_core.Core
open Paths

val foreach :
  t ->
  path ->
  local ->
  set ->
  key list ->
  block ->
  (path -> outcome -> unit) ->
  unit
