(** The pages named by messages and manual pages: an installed command has no
    checkout beside it. *)

val page : string -> string
(** The address of a page of [doc/policy]. *)
