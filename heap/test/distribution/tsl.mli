(** The comment at the head of a test program of OCaml's distribution. The
    comment describes the build and the runs: see [ocamltest/OCAMLTEST.org]
    there. *)

type statement =
  | Set of string * string
  | Append of string * string
  | Unset of string
  | Include of string
  | Action of string * string list
      (** the action's name and its [with] modifiers *)

type tree = { statements : statement list; branches : tree list }
(** The statements in order, then the branches. Each branch starts from the
    state after the statements. *)

val read : string -> tree option
(** The tree of the given file; [None] if the file is not a test. *)

exception Malformed of string
