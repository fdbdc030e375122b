(** The stress test: time over the entangled share of a program, as figure 8 of
    the paper. *)

open Bench_driver

val bench : string
(** The name of the program in rows; the cut-off of a row is the percentage. *)

val run :
  Comparison.asked ->
  percentages:int list ->
  progress:Runner.progress ->
  Row.t list
(** Measures {!Heap_suite.Stress}, whichever programs [asked] names. Percentages
    are interleaved, as contestants are. *)

val print : Format.formatter -> Row.t list -> unit
(** Prints for each contestant and number of workers the times, the times
    relative to 0 percent, and the fit to a line. If OCaml's own runtime is
    among the contestants, prints also the extra time over that runtime, which
    leaves cache misses out. *)

val draw : dir:string -> Row.t list -> string list
(** Returns the written files. *)
