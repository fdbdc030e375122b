(** Measurements of servers, each in a process of its own: the lab's program,
    started again with the arguments made here. *)

val fronts : Bench_server.Front.t list

val missing : string list
(** Lines that say what is not compared because it is not installed. *)

val benches : string list
(** [fibserver]: load at a constant rate; [fibserver_mixed]: small requests
    beside big ones; [fibserver_wrk]: load by wrk, if there; [ticker]: the
    longest stall. *)

val arguments :
  front:string ->
  bench:string ->
  workers:int ->
  load:int ->
  seconds:float ->
  n:int ->
  string list
(** [load] is in requests per second, or in connections for wrk. *)

val main : string list -> bool
(** [main argv] runs the child that [argv], the arguments without the program's
    name, ask for; [false] if they do not ask for one. *)
