(** Measures: every contestant in turn, again and again, so that a disturbance
    of the machine hits all alike. *)

type plan = {
  schedulers : Scheduler.t list;
  benches : (Suite.t * Suite.size list) list;
  workers : int list;
  runs : Suite.t -> int;
  limit : float;  (** seconds for one measurement, its input included *)
  max_rss_mib : int;
}

val run :
  plan ->
  progress:(done_:int -> of_:int -> string -> unit) ->
  report:(Suite.t -> Suite.size -> Row.t list -> unit) ->
  Row.t list
(** All rows; [report] is called with those of each benchmark and size as soon
    as they are there. A contestant that fails a measurement (too long, too much
    memory, a wrong result) is not asked again for it, nor for a larger size
    that follows: the row of that size has the same failure. A measurement
    during which others used cores that it needed is repeated, at most as many
    times again as there are runs; if there are still too few, the row says how
    many were disturbed.

    Run [i] of a benchmark with a time is in the program of placement [i] modulo
    {!Placement.count}, and the row's figures are over all. Where forks are
    counted ({!Suite.forks}) the figures [placements], [best_placement_s] and
    [worst_placement_s] are the number of placements and the median times at the
    fastest and the slowest of them. *)

val commands : plan -> string list list
(** The commands of the first run of everything that the plan measures. *)
