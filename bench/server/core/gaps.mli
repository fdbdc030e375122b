(** The stalls that a ticker notices. For one thread. *)

type t

val create : unit -> t
(** Begins the first gap. *)

val tick : t -> unit

val stop : t -> unit
(** Ends the last gap. *)

val longest : t -> float
(** Seconds. *)

val ticks : t -> int

val seconds : t -> float
(** From {!create} to {!stop}. *)
