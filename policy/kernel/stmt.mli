(** Translates statements of a policy to C. *)

open Dromos_policy_core.Core

type lines = { file : string; text : string array; directives : bool }
(** The policy's text. Each line stands above the C made of it, as a comment; or
    as a directive, from which compilers and the kernel's verifier take the line
    numbers of the policy. *)

val reset : string
(** A line that stands for the directive with which the C file's own line
    numbers go on. *)

val numbered : file:string -> string -> string
(** The text with the directives filled in. Linear. *)

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
(** The lines of the body of a function or handler, not indented. [keys] are the
    attributes by which some queue is ordered. *)
