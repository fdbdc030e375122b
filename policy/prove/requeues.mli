(** The moves of waiting threads between READY states.

    For {!Waiting}: a thread that goes round among queues may wait for ever,
    though each of the queues keeps the thread for a bounded time only. The
    moves are over-approximated from the text: at any move, a variable may hold
    every value that the policy sets the variable to anywhere. Cost: statements
    times states. *)

open Dromos_policy_core.Core

val round : policy -> state -> bool
(** True if a thread that waits in the state may come to the state again before
    the thread runs: by moves of ready threads in handlers, or displaced by
    another thread. *)

val longest : policy -> int
(** The most queues that a thread can visit, one after the other, before the
    thread runs: 1 where no waiting thread is moved. Only for a policy without a
    {!round}. *)

val displaced_into : policy -> state -> bool
(** True if another thread may displace a thread to the state. *)
