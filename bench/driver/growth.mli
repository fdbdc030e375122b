(** Growth: how time and memory rise with [n], from the rows of {!Suite.growth}.
    Time is processor time of all threads: a sleep costs nothing, and other
    programs disturb little. Memory is the peak above the resident memory after
    the input was made ({!Bench_core.Peak}). *)

type fit = {
  exponent : float;
      (** the slope of the line of least squares through the points of a log-log
          plot: 1 is linear *)
  allowed : float;
      (** the slope of n log n through the same points, plus {!tolerance} *)
}

val tolerance : float
(** 0.1. Two points a decade apart, with times 10 % off, make the slope greater
    by 0.05; a working set that leaves a cache makes the slope greater than
    that. *)

val fit : (int * float) list -> fit option
(** [fit points]; each point is an [n] and a time or a size. Only points with
    [n] of at least 10_000 count: below, the fixed costs of a process dominate.
    [None] if fewer than three points are left, or if a point is not positive.
*)

val too_fast : fit -> bool
(** True if the growth is faster than n log n. *)

type line = {
  bench : string;
  scheduler : string;
  workers : int;
  times : (int * float) list;  (** [n], seconds in all; ascending *)
  sizes : (int * float) list;  (** [n], bytes in all, where known *)
  time : fit option;
  memory : fit option;
  ended : (int * string) option;
      (** the least [n] that failed, and the reason *)
}

val lines : Row.t list -> line list
(** A line for each benchmark of growth, contestant and number of workers, in
    the order of the rows. Rows of other benchmarks are left out. *)

val print : Format.formatter -> line list -> unit
(** A table for each benchmark: nanoseconds and bytes for each item at each [n],
    and the exponents, with a star beside the exponents that are {!too_fast}. *)

val charts : line list -> (string * Chart.t) list
(** Log-log plots of time and of memory, a curve for each line, named with its
    exponent; the string is the name of a file. *)
