(** Work stealing from public deques: {!Stealing}, with a deque for each worker
    that grows when it is full, so that no push is refused. A push or pop costs
    a few nanoseconds.

    Model-checked with parking around it, and stress-tested, in test/kernel.

    {b Checked.}
    - proved (proofs/hub/std.v): [maker];
    - model-checked (test/kernel): [maker];
    - tested (test/kernel): all. *)

val maker : Hub.maker
