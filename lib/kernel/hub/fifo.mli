(** First in, first out: one shared queue for all workers.

    The oldest tasks run first, whichever worker made them. The order is good
    for the latency of servers. But divide and conquer suffers: the workers
    explore the tree breadth first, with one whole level in memory, unless tasks
    wait for one another. A worker may take back ([retract]) the newest of the
    last 256 new tasks that the worker pushed, from the middle of the queue;
    then a fiber that waits for the task can run the task. Every operation goes
    through one queue, so fine grains do not scale.

    If a worker takes a task back, the task leaves the queue at once. The node
    of the task, a few words, stays until a sweep. For each worker, the sweep
    comes before there are more dead nodes than tasks in the queue, or than 64.

    A worker looks first at its inbox and first at the shared queue in turns, so
    that neither starves. A yielding task goes to the end of the queue.

    Source: Parabs, section 8.2, after Moonpool's pool of that name.

    Proved besides (proofs/hub): if [steal] returns [None], then at some instant
    of the call the hub held no task that the worker may run. Work conservation
    follows, for the protocol of the pool (push, then notify; announce, then
    look again). Take a task in the hub whose publisher has finished, and a
    worker that may run the task. Then at least one of these holds:
    - the worker does not sleep, or its wake-up is in place;
    - another worker was woken for this task, and has not since then announced a
      sleep and found the hub empty.

    {b Checked.}
    - proved (proofs/hub/fifo.v): [maker];
    - tested (test/kernel): all. *)

val maker : Hub.maker
