(** Work stealing from bounded deques, with a shared queue for the overflow.

    As {!Stealing} and {!Std}, but a worker keeps at most 256 tasks in its
    deque. More tasks go to the shared queue, where every worker finds them at
    once. A worker that makes many tasks in a row feeds the other workers, and
    the others need not steal the tasks one by one. Deques never grow, and the
    oldest tasks of a flood run first. In divide and conquer, which rarely has
    more than a few dozen tasks in a deque, the hub behaves like {!Std}. The
    strategy lies between those of Parabs, sections 8.1 and 8.2; Go's run queues
    are of this kind.

    {b Checked.}
    - proved (proofs/hub/hybrid.v): [maker];
    - tested (test/kernel): all. *)

val maker : Hub.maker
