(** The suite [lab]: families of benchmarks, of Dromos and its peers. *)

type options = {
  size : int option;
  cutoffs : int list;  (** the benchmarks' own if empty *)
  seconds : float option;  (** of load on a server *)
  verdict : bool;
  growth : bool;
  commands : bool;
}

val list : Asked.t -> unit
(** Prints the benchmarks and the contestants. *)

val run : Asked.t -> options -> unit
(** Measures, or reads rows, prints tables, and writes files. Raises [Failure]
    if the result of a contestant is wrong. *)
