(** Splits the text of Coq files into tokens: those that definitions of HeapLang
    values need. *)

type token =
  | Name of string  (** an identifier, or a keyword with a colon: [let:] *)
  | Quoted of string  (** a variable, without its quotes *)
  | Number of int
  | Symbol of string
  | End

exception Error of string

val of_string : string -> token list
