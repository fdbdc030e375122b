(** Archives in the kernel's format for a first file system ("newc"). *)

type entry =
  | Directory of string
  | File of { path : string; mode : int; content : string }
  | Console of string  (** the character device 5, 1 *)

val archive : entry list -> string
(** Paths must not begin with [/]. A directory must come before its content. *)

val with_parents : entry list -> entry list
(** The same entries after the directories of all paths, each once. *)
