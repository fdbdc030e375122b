(** The load test: a table with a row for each variant of the server. *)

val main : unit -> int
(** Reads the command line, prints the table, and returns the exit status: 0; 1
    if a server does not start or fails; 2 for a bad command line. *)
