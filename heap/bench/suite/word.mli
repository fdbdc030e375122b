(** The words of a text, as strings. *)

val at : string -> int -> string
(** The word that starts there. *)

val checksum : string -> int
(** Of its bytes. *)
