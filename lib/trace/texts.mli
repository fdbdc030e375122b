(** A table of strings: a page has each text once. *)

type t

val create : unit -> t

val number : t -> string -> int
(** The same for the same text; from 0, in order of asking. *)

val json : t -> Json.t
(** The texts by number, up to the last number given when the page is written.
*)
