(** Between which READY states threads go while they wait.

    For {!Waiting}: a thread that goes round among queues may wait for ever,
    though each of the queues keeps the thread for a bounded time only. The
    moves are over-approximated from the text: a variable may hold at any move
    whatever the policy sets the variable to anywhere. Cost: statements times
    states. *)

open Dromos_policy_core.Core

val round : policy -> state -> bool
(** A thread that waits in the state may come to the state again before the
    thread runs: by moves of ready threads in handlers, or displaced by another
    thread. *)

val longest : policy -> int
(** How many queues a thread can come to, one after the other, before it runs: 1
    where none is moved. Of a policy without a {!round}. *)

val displaced_into : policy -> state -> bool
(** Another thread may displace a thread to the state. *)
