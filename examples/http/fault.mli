(** Faults of a server, for its log and its answers. *)

val reason : exn -> string
(** One line: the text of [Failure], and otherwise what OCaml prints. Bytes that
    would end the line or move a terminal's cursor are blanks. *)
