(** The rows as SVG files. *)

open Bench_driver

val draw : dir:string -> Row.t list -> string list
(** Draws for each program its times over the number of workers, and its longest
    pauses. Draws over all programs, on all processors, the geometric means of
    each contestant's time, memory and longest pause, relative to OCaml's own
    runtime. Returns the written files. *)
