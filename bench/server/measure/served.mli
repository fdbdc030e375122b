(** A server in a process of its own, started by the one that measures it. *)

type t

val start : string list -> t
(** [start argv]: a program that serves until its standard input ends, and says
    its port on the first line of its standard output. Raises [Failure]. *)

val address : t -> Unix.sockaddr

val cpu : t -> float
(** Seconds of processor time so far. *)

val max_rss_kib : t -> int option

val stop : t -> unit
(** Ends and awaits it. *)
