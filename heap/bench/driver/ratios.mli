(** Ratios of a row to rows of its program. *)

open Bench_driver

val add : Row.t list -> Row.t list
(** Rows of one program. Adds figures:

    - relative to OCaml's own runtime at its defaults, with as many workers:
      [time_to_stock], [cpu_to_stock], [rss_to_stock];
    - relative to the sequential elision on OCaml's own runtime: T and R of the
      paper's figure 6, with T{_ s} and R{_ s}: [overhead], T / T{_ s} (of one
      worker, T{_ 1} / T{_ s}); [speedup_to_elision], T{_ s} / T; [blowup], R /
      R{_ s}. *)

val rss : Row.t -> float
(** Memory in KiB; [nan] if unknown. *)
