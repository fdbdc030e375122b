(** Prints a generated file. *)

val print : Format.formatter -> string -> Toplevel.file -> unit
(** [print ppf path file]: [path] is the path of the source, for the heading. *)

val print_comparisons : Format.formatter -> string -> Toplevel.file -> unit
(** [print_comparisons ppf name file] prints sentences that make Coq compare the
    file's definitions with the same definitions without notations. [name] is
    the Coq name of the file, for example [base.queue_code]. *)
