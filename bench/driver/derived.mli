(** Figures computed from the times of one benchmark and size. *)

val add : Suite.t -> base:(string -> string) -> Row.t list -> Row.t list
(** Fills in [ratio_to_sequential]; and, where one worker was measured beside
    several, [speedup] and its best and worst ([speedup_best], [speedup_worst]):
    the median time of one worker over the median, least and greatest of
    several. For benchmarks whose forks are known in number: [ns_per_fork],
    [ns_per_fork_best] and [ns_per_fork_worst], the time above the median of the
    plain program [base] of the same language, by the number of forks;
    [ns_per_fork_cpu] the same of processor time, which other programs on the
    machine disturb less; [ns_best_placement] and [ns_worst_placement], the same
    of the copy of the program that was fastest and of the slowest. *)
