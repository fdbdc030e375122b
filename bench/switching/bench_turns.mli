(** The benchmarks [sched_switch] and [sched_spawn] for any scheduler on one
    domain. *)

type kit = {
  run : 'a. (unit -> 'a) -> 'a;  (** starts the scheduler for this call *)
  together : (unit -> unit) list -> unit;
      (** makes a fiber of each function, and waits for all *)
  yield : unit -> unit;
}

val jobs : kit -> (string * Bench_core.Contestant.job) list

val contestant :
  string ->
  string ->
  (string * Bench_core.Contestant.job) list ->
  Bench_core.Contestant.t
(** Name and line about the contestant; one worker only. *)
