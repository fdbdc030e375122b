(** The rows as SVG files. *)

open Bench_driver

val draw : dir:string -> Row.t list -> string list
(** For each program: times over workers, and the longest pauses. Of all: each
    contestant's time, memory and longest pause beside stock's, geometric means
    on all processors. The files written. *)

val make_directory : string -> unit
(** With those that it is in, unless it is there. *)
