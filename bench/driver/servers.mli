(** The HTTP servers compiled in; see [bench/server]. They live in
    [servers.exe], beside this program. *)

type t = { name : string; about : string; parallel : bool }

val all : t list

val missing : string list
(** A line for each server that is not installed. *)

val benches : string list
(** The benchmarks of kind [Load] that can run here. *)

val command : Bench_core.Server_job.t -> string list
(** The command line of a process of its own. *)

val look : program:string -> wrk:string option -> string list * string list
(** [missing] and [benches] for a program that may not exist. For tests. *)
