(** Figures computed from the times of one benchmark and size. *)

val add : Suite.t -> base:(string -> string) -> Row.t list -> Row.t list
(** Fills in [ratio_to_sequential]. Where one worker was measured beside
    several, adds [speedup] and its best and worst ([speedup_best],
    [speedup_worst]): the median time of one worker divided by the median, least
    and greatest time of several workers. For benchmarks with a known number of
    forks, adds [ns_per_fork], [ns_per_fork_best] and [ns_per_fork_worst]: the
    time above the median of the plain program [base] of the same language,
    divided by the number of forks. [ns_per_fork_cpu] is the figure in processor
    time, which other programs on the machine disturb less. [ns_best_placement]
    and [ns_worst_placement] are the figures of the fastest and of the slowest
    copy of the program. *)
