(** Loops over sets whose members are not known. {!Symbolic} explains how the
    loops are summarised; policy/theories/placement.mlw proves the two most
    important summaries. *)

open Dromos_policy_core.Core
open Types

val foreach :
  t ->
  path ->
  local ->
  set ->
  key list ->
  block ->
  (path -> outcome -> unit) ->
  unit
