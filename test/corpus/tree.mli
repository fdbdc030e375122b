(** Trees of files to try the corpus job on. *)

val fresh : (string -> 'a) -> 'a
(** A new directory, removed with all in it at the end. *)

val write : string -> string -> string -> unit
(** [write dir path content], making the directories on the way. *)
