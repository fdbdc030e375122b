(** What a ticker notices of stalls. For one thread. *)

type t

val create : unit -> t
(** The first gap begins now. *)

val tick : t -> unit

val stop : t -> unit
(** The last gap ends now. *)

val longest : t -> float
(** Seconds. *)

val ticks : t -> int

val seconds : t -> float
(** From {!create} to {!stop}. *)
