(** What the lab asks the program of its servers, [servers.exe], to measure.

    The driver does not link the servers, so that a measurement of anything else
    does not carry their libraries in its memory; they agree on this alone. *)

type t = {
  server : string;  (** its name in rows *)
  bench : string;
  workers : int;
  load : int;  (** requests per second, or connections for wrk *)
  seconds : float;  (** how long the load is offered *)
  n : int;
}

val arguments : t -> string list
(** For the command line of [servers.exe]. *)

val of_arguments : string list -> t option
(** [of_arguments (arguments t)] is [Some t]; [None] of anything else. *)
