(** A server in a process of its own, started by the measuring process. *)

type t

val start : string list -> t
(** [start argv] starts a program that serves until its standard input ends, and
    prints its port on the first line of its standard output. Raises [Failure].
*)

val address : t -> Unix.sockaddr

val cpu : t -> float
(** Seconds of processor time so far. *)

val max_rss_kib : t -> int option

val stop : t -> unit
(** Ends the server and waits for its end. *)
