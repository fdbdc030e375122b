(** A test program of a model: what holds, and what is refuted. *)

type check = { name : string; run : unit -> Search.result }

val main :
  string -> holds:check list -> large:check list -> faults:check list -> unit
(** Of the model of that name. Without arguments: what holds, and each fault is
    refuted. [--large]: larger programs, for some minutes. [--traces]: how the
    faults are refuted. *)
