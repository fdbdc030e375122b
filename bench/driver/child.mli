(** One measurement in a process of its own: this program, started again with
    the arguments that {!arguments} makes. No contestant then runs beside
    another one's sleeping domains or in its heap, and peak memory is its own.
*)

val flag : string
(** The first argument that says that {!main} is wanted. *)

val arguments :
  scheduler:string ->
  bench:string ->
  placement:int ->
  workers:int ->
  cutoff:int ->
  n:int ->
  string list

val main : string list -> unit
(** In the child: measures, and prints one line of JSON. *)
