(** Pages that messages and manual pages name: an installed command has no
    checkout beside it. *)

val page : string -> string
(** The address of a page of [doc/policy]. *)
