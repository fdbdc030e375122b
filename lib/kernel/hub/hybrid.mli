(** Work stealing from bounded deques, with a shared queue for what overflows.

    {!Stealing}, as {!Std}, but a worker keeps at most 256 tasks for itself;
    more go to the shared queue, where anybody finds them at once. So a worker
    that makes many tasks in a row feeds the others without their stealing one
    by one from it, deques never grow, and the oldest tasks of a flood run
    first; in divide and conquer, which rarely has more than a few dozen tasks
    in a deque, it behaves as {!Std}. Between the strategies of Parabs, sections
    8.1 and 8.2; Go's run queues are of this kind.

    {b Checked.}
    - proved (proofs/hub/hybrid.v): [maker];
    - tested (test/kernel): all. *)

val maker : Hub.maker
