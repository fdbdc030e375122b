(** LCWC of [new] and [unblock]: policy/theories/placement.mlw.

    Where a thread is put on a core, that core must not be able to end with two
    threads while another ends idle. By monotonicity every look at the core that
    ends idle (without B, in synch) gave 0, and every look at the chosen core,
    if it ends with two threads and without U, gave at least one: one obligation
    for each place where the target is moved, one case for each path to it. *)

open Dromos_policy_core.Core

val obligations : policy -> handler -> Obligation.t list
(** of a [new] or [unblock] handler.
    @raise Symbolic.Too_many_paths *)
