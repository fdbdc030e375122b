(** Public deques: an array of {!Dynamic} deques that thieves read directly.

    The right default: thieves need nobody's cooperation, so a task is found
    even if its owner never comes back to the scheduler. A [push] or a [pop]
    costs one sequentially consistent store each.

    Source: Parabs, section 6.1.

    {b Checked.}
    - proved (proofs/deque/public.v): all;
    - tested (test/deque): all. *)

include Ws_deques.S

(** A worker that is [block]ed forgets its stolen items; it can still be stolen
    from. [tick] does nothing. *)
