(** The contestants of this folder, for the driver. *)

val contestants : Bench_core.Contestant.t list
