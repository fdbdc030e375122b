(** Machines made from what a prover saw fail: its witness says how many cores,
    threads and what attributes to try. Nothing is concluded from it: the
    machines are searched as all others are.

    For {!Explore}, before the larger ones of the series. *)

type witness = (string * int list) list
(** What was looked at, in the policy's words ("count(idle)", "all",
    "idle.capacity"), and what was seen. *)

val machines :
  Core.policy ->
  Promise.t ->
  topology:(int -> Topology.t) ->
  witness ->
  (Bounds.t * Instance.start list Lazy.t) list
(** From small to large, without events of the environment. The sizes are
    numbers of the witness and of the policy, and the next ones: of cores 2 to
    16, of threads on the core that has most at most 16. Of the others some have
    one thread, and some none. Linear in sizes of cores times of threads, at
    most some hundreds. *)
