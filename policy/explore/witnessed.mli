(** Machines made from the witness of a failed proof: the witness suggests
    numbers of cores and threads, and values of attributes. The witness proves
    nothing: the machines are searched like all others.

    {!Explore} searches these machines before the larger machines of the series.
*)

type witness = (string * int list) list
(** Pairs: the observed thing, in the policy's words ("count(idle)", "all",
    "idle.capacity"), and the observed values. *)

val machines :
  Core.policy ->
  Promise.t ->
  topology:(int -> Topology.t) ->
  witness ->
  (Bounds.t * Instance.start list Lazy.t) list
(** The machines, from small to large, without events of the environment. The
    sizes are the numbers of the witness and of the policy, and the next two
    numbers: 2 to 16 cores, and at most 16 threads on the fullest core. Some of
    the remaining cores have one thread, and the rest have none. Linear in the
    number of sizes of cores times sizes of threads, at most some hundreds. *)
