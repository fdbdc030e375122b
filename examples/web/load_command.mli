(** The load test: a table of what each part of the program gives. *)

val main : unit -> int
(** Reads the command line, prints the table, and gives the exit status: 0; 1 if
    a server does not start or fails; 2 for a bad command line. *)
