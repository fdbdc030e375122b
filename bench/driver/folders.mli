(** Directories. All functions raise [Sys_error]. *)

val make : string -> unit
(** Makes the directory, and the directories above, if missing. *)

val writable : string -> unit
(** [make], and a file made in the directory and removed: raises if the path is
    no directory, or takes no files. *)

val remove : string -> unit
(** Removes a file, or a directory with its contents. *)

val temporary : string -> string
(** Makes a directory with the given prefix, which is removed at the end of the
    process. *)

val fill : string -> (string * string) list -> unit
(** [fill dir files] writes files below [dir]: each has a path and a text. *)
