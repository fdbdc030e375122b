(** The benchmarks: sizes and cut-offs. *)

type kind =
  | Time  (** a job, measured by its time to completion *)
  | Probe  (** a measurement of its own *)
  | Load
      (** a server under load: the cut-offs are loads, the results figures *)

type size = { n : int; cutoffs : int list }
(** A cut-off of 0 in a loop leaves the choice to the scheduler. *)

type t = {
  name : string;
  about : string;
  kind : kind;
  cutoff_is : string;
      (** the unit of the cut-off, for axes and tables; empty if the benchmark
          has no cut-off *)
  families : string list;
      (** the families of contestants that have the benchmark: {!plain}
          programs, the {!general} contestants, or other families of
          {!Roster.families} *)
  every_workers : bool;
      (** measured with every number of workers; otherwise with the greatest
          number *)
  full : size list;
  quick : size list;
}

val all : t list
(** The benchmarks that the lab measures by default: all except {!growth} and
    {!contention}. *)

val growth : t list
(** [n] items of each kind of which programs make many ({!Grows}), over [n]. *)

val contention : t list
(** [n] operations on one structure, over the number of tasks, the cut-off. *)

val find : string -> t option
(** Finds a benchmark in {!all}, {!growth} and {!contention}. *)

val about : string -> string
(** The line about the benchmark of the given name, or [""]. *)

val plain : string
val general : string

val counts_operations : t -> bool
(** True for a benchmark of [n] equal operations: tables show the time of an
    operation. *)

val five : string list
(** The benchmarks of "A Verified Parallel Scheduler for OCaml 5", appendix A.
*)

val forks : t -> int -> int option
(** The number of forks at size [n], for benchmarks with a cost per fork. *)
