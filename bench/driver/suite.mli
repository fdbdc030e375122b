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
      (** what the cut-off counts, for axes and tables; empty if there is none
      *)
  families : string list;
      (** whose contestants may have it: those of {!plain} programs, those of
          the {!general} benchmarks, or others that {!Roster.families} names *)
  every_workers : bool;
      (** measured with every number of workers; otherwise with the greatest *)
  full : size list;
  quick : size list;
}

val all : t list
(** Those that the lab measures if none is named: all but {!growth} and
    {!contention}. *)

val growth : t list
(** [n] of everything that a program makes many of ({!Grows}), over [n]. *)

val contention : t list
(** [n] operations on one structure, over the number of tasks, the cut-off. *)

val find : string -> t option
(** Of {!all}, {!growth} and {!contention}. *)

val about : string -> string
(** The line about the benchmark of that name; empty if there is none. *)

val plain : string
val general : string

val counts_operations : t -> bool
(** Benchmarks of [n] equal operations: what each takes is shown. *)

val five : string list
(** The benchmarks of "A Verified Parallel Scheduler for OCaml 5", appendix A.
*)

val forks : t -> int -> int option
(** How many forks the benchmark makes at size [n], where a cost per fork is
    shown. *)
