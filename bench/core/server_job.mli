(** A measurement that the lab asks of its server program, [servers.exe]. The
    driver does not link the servers, so that other measurements do not carry
    the servers' libraries in their memory; the two programs share only this
    type. *)

type t = {
  server : string;  (** the server's name in rows *)
  bench : string;
  workers : int;
  load : int;  (** requests per second, or connections for wrk *)
  seconds : float;  (** the time under load *)
  n : int;
}

val arguments : t -> string list
(** The command line of [servers.exe]. *)

val of_arguments : string list -> t option
(** [of_arguments (arguments t)] is [Some t]; [None] for any other list. *)
