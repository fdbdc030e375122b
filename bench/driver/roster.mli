(** The OCaml contestants that were compiled in. *)

val contestants : Bench_core.Contestant.t list

val structures : Bench_core.Contestant.t list
(** Those of the benchmarks {!Suite.is_structure}, and of no others. *)

val missing : string list
(** Lines that say which peers were not installed when the lab was built. *)
