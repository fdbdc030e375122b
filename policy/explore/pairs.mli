(** Two large groups that differ by little: where a policy that balances, or
    leaves a group, only past some threshold backs off too early.

    "A tenth more load" is not what a group of k + 1 threads has over one of k -
    1, from 21 cores each on. All runs of so many cores cannot be searched, but
    one where nothing comes beside the event (the instance is quiet) is quickly
    made. For {!Explore}, where a proof failed. *)

type t = {
  topology : Topology.t;
  bounds : Bounds.t;
  start : Instance.start;
  quiet : bool;  (** see {!Instance.make} *)
}

val machines : Core.policy -> Promise.t -> t list
(** From small to large: groups of 4, 8, 16 and 30 cores, each core with a
    thread; but one core of the first group is idle, and, of balancing, one of
    the second has two threads, and of a placement a thread comes that was on
    any core. Of balancing also one core beside a group of three, which is
    searched as others are. None where neither the policy nor the promise asks
    for groups. *)
