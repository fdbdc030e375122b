(** The comment at the head of a test program of OCaml's distribution, which
    says how to build it and what to run: see [ocamltest/OCAMLTEST.org] there.
*)

type statement =
  | Set of string * string
  | Append of string * string
  | Unset of string
  | Include of string
  | Action of string * string list  (** its name, what it is [with] *)

type tree = { statements : statement list; branches : tree list }
(** The statements in order, then each branch from where they led. *)

val read : string -> tree option
(** Of the file so named. [None]: it is no test. *)

exception Malformed of string
