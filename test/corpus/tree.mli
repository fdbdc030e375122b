(** Trees of files for tests of the corpus job. *)

val fresh : (string -> 'a) -> 'a
(** Makes a new directory; removes the directory with its content at the end. *)

val write : string -> string -> string -> unit
(** [write dir path content] also makes the directories on the way. *)
