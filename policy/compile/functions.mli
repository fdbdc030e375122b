(** OCaml code for a policy's functions. *)

open Dromos_policy_core.Core

type t
(** Which are written already. *)

val start : policy -> t
val names : t -> Names.t

val needed : t -> Names.moving -> block -> string list
(** Those that code standing there calls and that are not written yet, each
    after those it calls itself. *)

val body :
  t ->
  Names.moving ->
  result:ty option ->
  parameters:local list ->
  block ->
  string

val indent : string -> string
