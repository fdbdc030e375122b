(** Faults of a server, for the log and for answers. *)

val reason : exn -> string
(** The text of [Failure], or what OCaml prints for another exception, in one
    line: blanks replace the bytes that would end the line or move a terminal's
    cursor. *)

val of_request : Cohttp.Request.t -> exn -> string
(** The line of the log for a request that failed: the method, the address, and
    {!reason}. *)
