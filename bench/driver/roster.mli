(** The OCaml contestants compiled into the program. *)

val families : (string * Bench_core.Contestant.t list) list
(** The contestants of each family; a family has its own benchmarks
    ({!Suite.t}). *)

val contestants : Bench_core.Contestant.t list
(** The contestants of all families. *)

val missing : string list
(** A line for each peer that was not installed when the lab was built. *)
