(** Translates several files, each after those that it refers to.

    A file that belongs to none of the given libraries is passed over: dune's
    modules that only name the others. The error is a message with a place. *)

type translated = (Names.unit_ * string * Toplevel.file) list
(** With the paths of the sources. *)

val translate : Names.folders -> string list -> (translated, string) result
(** Of files that {!Source.read} can read. *)

val translate_text : string -> string -> (translated, string) result
(** [translate_text path text]: a source that stands alone. *)
