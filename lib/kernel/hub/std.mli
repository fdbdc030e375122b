(** Work stealing from public deques.

    A worker pushes its new and unblocked tasks on its own deque and takes the
    newest first; thieves take the oldest of a victim's, which in divide and
    conquer are the largest. A worker that has nothing looks at its inbox, at
    the shared queue, at the tasks that yielded, and then at every other worker,
    from a random one on.

    Push, pop and steal are lock-free; a push or pop costs a few nanoseconds, a
    steal that finds nothing one look at each deque. {!Central} tells how a busy
    worker gets round to tasks outside its deque. A yielding task is returned
    only after those that were in its worker's deque when it yielded.

    Source: Blumofe and Leiserson, JACM 1999; Parabs, sections 6.1 and 8.1.
    Model-checked with parking around it, and stress-tested, in test/kernel.

    {b Checked.}
    - proved (proofs/hub/std.v): [maker];
    - model-checked (test/kernel): [maker];
    - tested (test/kernel): all. *)

val maker : Hub.maker
