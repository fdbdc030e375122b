(** Schedulers of other languages, in programs of our own that the tools of the
    machine build. *)

type peer = {
  name : string;
  make : string -> (Scheduler.t list, string) result;
      (** builds in the given directory, or says why not *)
}

val build :
  ?sources:(string * string) list -> peer list -> Scheduler.t list * string list
(** The schedulers that could be built, and a line for each peer that could not.
    All peers are built in one directory, with [sources], files by their paths;
    the directory is removed at the end of the process. *)

val call : string list -> (unit, string) result
(** Runs a step of a build. *)

val lab : unit -> Scheduler.t list * string list
(** Builds the peers of the lab, in [bench/peers]. *)
