(** One measurement in a process of its own: one of the programs of
    {!Placement}, started with the arguments that {!arguments} makes. No
    contestant then runs beside another one's sleeping domains or in its heap,
    and peak memory is its own. *)

val arguments :
  scheduler:string ->
  bench:string ->
  workers:int ->
  cutoff:int ->
  n:int ->
  string list

val main : unit -> unit
(** In the child: measures what the command line says, and prints one line of
    JSON. To count instructions the arguments may be preceded by [--once], which
    makes the input and runs the benchmark once, or by [--only-input], which
    does the same without running it; both print nothing, and the difference of
    their counts is what the benchmark itself takes. *)
