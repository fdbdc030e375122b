(** The test program of a model: the checks that must hold, and the faults that
    must be refuted. *)

type check = { name : string; run : unit -> Search.result }

val main :
  string -> holds:check list -> large:check list -> faults:check list -> unit
(** [main name ..] runs the checks of the model [name]. Without arguments: the
    checks of [holds], and each fault must be refuted. [--large]: larger
    programs, for some minutes. [--traces]: prints the trace that refutes each
    fault. *)
