(** A table of strings, so that a page has each text once. *)

type t

val create : unit -> t

val number : t -> string -> int
(** The number of a text: equal texts have the same number. Numbers begin at 0,
    in the order of the first calls. *)

val json : t -> Json.t
(** The texts by number, up to the last number given when the page is written.
*)
