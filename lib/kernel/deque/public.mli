(** Public deques: an array of {!Dynamic} deques that thieves read directly.

    The usual choice: thieves do not need the owner's cooperation, so a thief
    finds a task even if the owner never comes back to the scheduler. A [push]
    or a [pop] costs one sequentially consistent store each.

    Source: Parabs, section 6.1.

    {b Checked.}
    - proved (proofs/deque/public.v): all;
    - tested (test/deque): all. *)

include Ws_deques.S

(** [block] makes a worker forget its stolen items; thieves may still steal from
    the worker. [tick] does nothing. *)
