(** First in, first out: one shared queue for all workers.

    Oldest tasks run first, whoever made them: good for the latency of servers,
    bad for divide and conquer, whose tree is explored breadth first, with all
    of one level in memory, unless its tasks wait for one another: a worker may
    take back the newest of the last 256 new tasks it pushed ([retract]), out of
    the middle of the queue, so that a fiber that waits for it can run it. Every
    operation goes through one queue, so that fine grains do not scale.

    A task that is taken back is out of the queue at once; what it leaves there
    is a few words, and a sweep clears them away before they are more than the
    tasks in the queue, or 64, for each worker.

    A worker looks at its inbox and at the shared queue first in turns, so that
    neither starves. A yielding task goes to the end of the queue.

    Source: Parabs, section 8.2, after Moonpool's pool of that name.

    Proved besides (proofs/hub): a [steal] that finds nothing was, at some
    instant of the call, before a hub in which nothing was for its worker. From
    this follows work conservation, for the pool's protocol of push and notify,
    announce and look again: of a task in the hub whose publisher has finished,
    and a worker that may run it, either that worker does not sleep or has its
    wake-up in place, or another one was woken for this task and has not, in a
    later announcement, found the hub empty.

    {b Checked.}
    - proved (proofs/hub/fifo.v): [maker];
    - tested (test/kernel): all. *)

val maker : Hub.maker
