(** OCaml code for a policy's functions. *)

open Dromos_policy_core.Core

type t
(** The functions written so far. *)

val start : policy -> t
val names : t -> Names.t

val needed : t -> Names.moving -> block -> string list
(** The functions called by the code and not written yet, each after the
    functions that it calls itself. *)

val body :
  t ->
  Names.moving ->
  result:ty option ->
  parameters:local list ->
  block ->
  string

val indent : string -> string
