(** A table of strings, so that a page has each text once. *)

type t

val create : unit -> t

val number : t -> string -> int
(** The same for the same text; from 0, in order of asking. *)

val json : t -> Json.t
(** All of them, by number: those that there are when it is written. *)
