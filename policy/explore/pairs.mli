(** Two large groups with nearly equal loads, between which a policy with a
    threshold does not steal.

    Take a filter that asks for a tenth more load. From 21 cores on, a group of
    k + 1 threads has less than a tenth more than a group of k - 1. A search of
    all runs of 42 cores never ends; a run in which nothing comes beside the
    event (a quiet instance) is quickly made. {!Explore} searches pairs where a
    proof failed. *)

type t = {
  topology : Topology.t;
  bounds : Bounds.t;
  start : Instance.start;
  quiet : bool;  (** options of {!Instance.make} *)
}

val machines : Core.policy -> Promise.t -> t list
(** The machines, from small to large: two groups of 4, 8, 16 and 30 cores. Each
    core has one thread, except an idle core of the first group. For balancing,
    a core of the second group has two threads; for a placement, a thread comes
    that ran on any core. For balancing also a group of three cores beside a
    single core, searched in all ways. The list is empty if neither the policy
    nor the promise asks for groups. *)
