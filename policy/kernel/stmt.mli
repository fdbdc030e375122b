(** C statements for a policy's. *)

open Dromos_policy_core.Core

type lines = { file : string; text : string array; directives : bool }
(** The policy's text, which stands above what was made of it: as comments, or
    as directives, from which compilers and the kernel's verifier name its
    lines. *)

val reset : string
(** A line that stands for the directive with which the C file's own numbers go
    on. *)

val numbered : file:string -> string -> string
(** The text with these directives in it. Linear. *)

val comment : lines -> place -> string list

val braces : string -> string list -> string list
(** [braces head body]: the body, indented, between braces after [head]. *)

val body :
  lines:lines ->
  keys:attribute list ->
  Expr.context ->
  parameters:local list ->
  block ->
  string list
(** The lines of a function's or handler's body, not indented. [keys] are those
    by which some queue is ordered. *)
