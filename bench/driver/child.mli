(** A measurement in a process of its own: a program of {!Placement}, started
    with {!arguments}. No contestant then runs beside the sleeping domains of
    another contestant or in its heap, and peak memory is the contestant's own.
*)

val arguments :
  scheduler:string ->
  bench:string ->
  workers:int ->
  cutoff:int ->
  n:int ->
  string list
(** The arguments of the process, without the program. *)

val main : unit -> unit
(** The process: measures by the arguments of the command line, and prints a
    line of JSON. To count instructions, [--once] before the arguments makes the
    input and runs the benchmark once; [--only-input] makes the input only. Both
    print nothing, and the difference of their counts is the benchmark's. Ends
    the process with status 2 and a line on the standard error if there is no
    such contestant or benchmark. *)

val warmed_up : (unit -> 'a) -> seconds:('a -> float) -> 'a
(** The run that counts. The first run does not count: page faults, the growth
    of the heap and the start of domains would disturb it. Every contestant has
    a first run, however short, so that a warm contestant is never compared with
    a cold one. Only a first run of more than 5 s counts. *)
