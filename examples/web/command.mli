(** The program: HTTP on Lwt, documents in SQLite, the computing on Dromos. *)

val main : unit -> int
(** Reads the command line, serves until Ctrl-C or [SIGTERM], and returns the
    exit status: 0 after a signal; 1 if the port, the database or the policy is
    not available; 2 for a bad command line. (A third Ctrl-C ends the process
    with status 130.) *)
