(** Measurements of servers: [fibserver], load at a constant rate;
    [fibserver_mixed], small requests beside big ones; [fibserver_wrk], load by
    wrk, if installed; [ticker], the longest stall.

    Each measurement is a process of its own, in which {!main} measures. The
    process starts another process, the same program with other arguments, in
    which {!main} serves. *)

val fronts : Bench_server.Front.t list

val missing : string list
(** A line for each contestant that is not installed. *)

val main : string list -> bool
(** [main argv] runs the child selected by [argv], the arguments without the
    program's name; [false] if [argv] selects no child. *)
