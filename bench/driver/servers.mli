(** The HTTP servers that were compiled in; see [bench/server]. They live in
    [servers.exe], which is looked for beside this program. *)

type t = { name : string; about : string; parallel : bool }

val all : t list

val missing : string list
(** Lines that say what is not compared because it is not installed. *)

val benches : string list
(** Of kind [Load], those that can be run here. *)

val command : Bench_core.Server_job.t -> string list
(** The command line of a process of its own. *)

val look : program:string -> wrk:string option -> string list * string list
(** [missing] and [benches], of a program that may not be there. For tests. *)
