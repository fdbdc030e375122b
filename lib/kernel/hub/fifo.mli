(** First in, first out: one shared queue for all workers.

    Oldest tasks run first, whoever made them: good for the latency of servers,
    bad for divide and conquer, whose tree is then explored breadth first, with
    all of one level in memory. Every operation goes through one queue, so that
    fine grains do not scale.

    A worker looks at its inbox and at the shared queue first in turns, so that
    neither starves. A yielding task goes to the end of the queue.

    Source: Parabs, section 8.2, after Moonpool's pool of that name. *)

val maker : Hub.maker
