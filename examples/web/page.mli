(** The page, from page.html. *)

val html : string
