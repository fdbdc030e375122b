(** The words of a text, as strings. *)

val at : string -> int -> string
(** The word that starts at the given index. *)

val checksum : string -> int
(** The checksum of the word's bytes. *)
