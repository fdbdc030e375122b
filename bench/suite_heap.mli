(** The suite [heap]: the programs of the papers on MPL, on OCaml's own runtime
    and on the runtime variant ([heap/bench/suite/README.md]). Its programs are
    [heap/bench] of the build tree of the running command. *)

type options = {
  repeats : int option;  (** runs in a process *)
  divide : int;  (** the divisor of the sizes *)
  no_pauses : bool;
  one_core : bool;
  stress : bool;
  peers : string;  (** the directory of the peers' sources *)
}

val has : string -> bool
(** [true] for the name of a benchmark of the suite. *)

val list : Asked.t -> options -> unit
(** Prints the programs and the contestants. *)

val run : Asked.t -> options -> unit
(** Measures, or reads rows, prints tables, and writes files. Raises [Failure]
    if a measurement failed. *)
