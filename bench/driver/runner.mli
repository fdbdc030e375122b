(** Measures every contestant in turn, again and again, so that a disturbance of
    the machine affects all contestants alike. *)

type plan = {
  schedulers : Scheduler.t list;
  benches : (Suite.t * Suite.size list) list;
  workers : int list;
  runs : Suite.t -> int;
  limit : float;  (** seconds for one measurement, its input included *)
  max_rss_mib : int;
}

type progress = done_:int -> of_:int -> string -> unit
(** Called before each measurement, with the number of benchmarks and sizes that
    are done, the number of all, and the name of the measurement. *)

val run :
  plan ->
  progress:progress ->
  report:(Suite.t -> Suite.size -> Row.t list -> unit) ->
  Row.t list
(** Returns all rows; calls [report] with the rows of each benchmark and size as
    soon as they are complete. A contestant that fails a measurement (too long,
    too much memory, a wrong result) is not measured again at the same size or
    at a later larger size: the row of the larger size has the same failure. A
    measurement is repeated if other programs used cores that it needed, with at
    most as many repetitions as there are runs; if too few undisturbed
    measurements remain, the row has the number of disturbed ones.

    Run [i] of a benchmark with a time uses the program of placement [i] modulo
    {!Placement.count}, and the row's figures are over all placements. Where
    forks are counted ({!Suite.forks}), the figures [placements],
    [best_placement_s] and [worst_placement_s] are the number of placements and
    the median times at the fastest and the slowest placement. *)

val commands : plan -> string list list
(** The commands of the first run of each measurement of the plan. *)
