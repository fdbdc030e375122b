(** The program: HTTP on Lwt, documents in SQLite, the computing on Dromos. *)

val main : unit -> int
(** Reads the command line, serves until Ctrl-C or [SIGTERM], and gives the exit
    status: 0 then; 1 if the port, the database or the policy cannot be had; 2
    for a bad command line. (130 is that of a process that Ctrl-C ended at its
    third.) *)
