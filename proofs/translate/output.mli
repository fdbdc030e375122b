(** A generated file. *)

val print : Format.formatter -> string -> Toplevel.file -> unit
(** With the path of its source, for the heading. *)

val print_comparisons : Format.formatter -> string -> Toplevel.file -> unit
(** Given the file's Coq name, such as [base.queue_code]: sentences with which
    Coq compares the definitions with the same without notations. *)
