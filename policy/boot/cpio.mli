(** Archives in the kernel's format for a first file system ("newc"). *)

type entry =
  | Directory of string
  | File of { path : string; mode : int; content : string }
  | Console of string  (** the character device 5, 1 *)

val archive : entry list -> string
(** Paths have no [/] in front. A directory comes before what is in it. *)

val with_parents : entry list -> entry list
(** The same with the directories of all paths in front, each once. *)
