(** Words of Coq files, as far as definitions of HeapLang values need them. *)

type token =
  | Name of string  (** identifiers; also keywords with a colon, as [let:] *)
  | Quoted of string
  | Number of int
  | Symbol of string
  | End

exception Error of string

val of_string : string -> token list
