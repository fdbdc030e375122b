(** The OCaml contestants that were compiled in. *)

val contestants : Bench_core.Contestant.t list

val missing : string list
(** Lines that say which peers were not installed when the lab was built. *)
