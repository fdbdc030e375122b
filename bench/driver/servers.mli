(** The HTTP servers that were compiled in; see [bench/server]. *)

type t = { name : string; about : string; parallel : bool }

val all : t list

val missing : string list
(** Lines that say what is not compared because it is not installed. *)

val benches : string list
(** Of kind [Load], those that can be run here. *)

val arguments :
  server:string ->
  bench:string ->
  workers:int ->
  load:int ->
  seconds:float ->
  n:int ->
  string list
(** For a process of its own: this program, started again. *)

val main : string list -> bool
(** In the child: measures or serves, if the arguments ask for it. *)
