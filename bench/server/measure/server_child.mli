(** Measurements of servers: [fibserver], load at a constant rate;
    [fibserver_mixed], small requests beside big ones; [fibserver_wrk], load by
    wrk, if there; [ticker], the longest stall.

    Each is a process of its own, in which {!main} measures; it starts another
    one, the same program with other arguments, in which {!main} serves. *)

val fronts : Bench_server.Front.t list

val missing : string list
(** Lines that say what is not compared because it is not installed. *)

val main : string list -> bool
(** [main argv] runs the child that [argv], the arguments without the program's
    name, ask for; [false] if they do not ask for one. *)
