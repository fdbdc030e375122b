(** Two large groups that differ by little, where a policy with a threshold
    backs off.

    Take a filter that asks for a tenth more load. A group of k + 1 threads has
    less than a tenth more than a group of k - 1 from 21 cores on. A search of
    all runs of 42 cores has no end; a run in which nothing comes beside the
    event (a quiet instance) is quickly made. For {!Explore}, where a proof
    failed. *)

type t = {
  topology : Topology.t;
  bounds : Bounds.t;
  start : Instance.start;
  quiet : bool;  (** see {!Instance.make} *)
}

val machines : Core.policy -> Promise.t -> t list
(** From small to large: groups of 4, 8, 16 and 30 cores, each core with a
    thread, except an idle core of the first group. Of balancing, a core of the
    second group has two threads; of a placement, a thread comes that ran on any
    core. Of balancing also a group of three cores beside a single core,
    searched in all ways. The list is empty if neither policy nor promise asks
    for groups. *)
