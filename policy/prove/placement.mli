(** LCWC of [new] and [unblock]: policy/theories/placement.mlw.

    If a thread is put on a core, that core must not be able to end with two
    threads while another core ends idle. By monotonicity every observation of
    the core that ends idle (without B, in synch) gave 0. Every observation of
    the chosen core gave at least one if that core ends with two threads and
    without U. There is one obligation for each place where the target is moved,
    with one case for each path to the place. *)

open Dromos_policy_core.Core

val obligations : policy -> handler -> Obligation.t list
(** The obligations of a [new] or [unblock] handler.
    @raise Symbolic.Too_many_paths *)
