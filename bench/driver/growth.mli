(** Growth: how time and memory rise with [n], from the rows of {!Suite.growth}.

    Time is processor time, of all threads: a sleep costs nothing, and other
    programs count for little. Memory is the peak above what was resident once
    the input was made ({!Bench_core.Peak}). *)

type fit = {
  exponent : float;
      (** the slope of the line of least squares through the points of a log-log
          plot: 1 is linear *)
  allowed : float;
      (** the slope of n log n through the same points, and {!tolerance} *)
}

val tolerance : float
(** 0.1. Two points a decade apart whose times are 10 % off make a slope of 0.05
    more; a working set that leaves a cache makes more than that. *)

val fit : (int * float) list -> fit option
(** [fit points], each an [n] and a time or a size. Only points with [n] of at
    least 10_000 count, since below that what a process needs anyway shows.
    [None] if fewer than three are left, or if one of them is not positive. *)

val too_fast : fit -> bool
(** Faster than n log n. *)

type line = {
  bench : string;
  scheduler : string;
  workers : int;
  times : (int * float) list;  (** [n], seconds in all; ascending *)
  sizes : (int * float) list;  (** [n], bytes in all, where they are known *)
  time : fit option;
  memory : fit option;
  ended : (int * string) option;  (** the least [n] that failed, and why *)
}

val lines : Row.t list -> line list
(** One for each benchmark of growth, contestant and number of workers, in the
    order of the rows. Rows of other benchmarks are left out. *)

val print : Format.formatter -> line list -> unit
(** A table for each benchmark: nanoseconds and bytes by [n], at each [n], and
    the exponents, with a star beside those that are {!too_fast}. *)

val charts : line list -> (string * Chart.t) list
(** Log-log plots of time and of memory, a curve for each line, named with its
    exponent; the string is the name of a file. *)
