(** Runs a program and watches its runtime's events from outside. *)

type seen = {
  output : string;  (** what it printed *)
  said : string;  (** on stderr *)
  stops : Stops.summary;
  lost : int;  (** events that were overwritten before they were read *)
}

val run : limit:float -> string list -> (seen, string) result
(** The program is killed after [limit] seconds. It runs with its events turned
    on. An error is one line. *)
