(** Between which READY states threads go while they wait.

    For {!Waiting}: a thread that goes round among queues waits in each for a
    bounded time, and altogether for ever. Over-approximated, from the text:
    whatever a variable is set to anywhere in the policy it may hold at any
    move. Statements times states. *)

open Dromos_policy_core.Core

val round : policy -> state -> bool
(** A thread that waits there may come there again before it runs: by moves of
    ready threads in handlers, and because another thread displaces it. *)

val longest : policy -> int
(** How many queues a thread can come to, one after the other, before it runs:
    1 where none is moved. Of a policy without a {!round}. *)

val displaced_into : policy -> state -> bool
(** A thread may come there because another displaces it. *)
