(** Translates several files, each after the files to which it refers.

    The translation leaves out a file that belongs to none of the given
    libraries: dune's modules that only name the other modules of a library. An
    error is a message with a place. *)

type translated = (Names.unit_ * string * Toplevel.file) list
(** For each file: the module, the path of the source, the translation. *)

val translate : Names.folders -> string list -> (translated, string) result
(** [translate folders files]: {!Source.read} reads the files. *)

val translate_text : string -> string -> (translated, string) result
(** [translate_text path text] translates the source [text], which refers to no
    other file. *)
