(** The OCaml contestants that were compiled in. *)

val families : (string * Bench_core.Contestant.t list) list
(** By whose benchmarks they may have ({!Suite.t}). *)

val contestants : Bench_core.Contestant.t list
(** Of all families. *)

val missing : string list
(** Lines that say which peers were not installed when the lab was built. *)
