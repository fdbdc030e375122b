(** A policy as a hub for Dromos's kernel: fibers are the threads, workers the
    cores. The code uses {!Dromos_policy_runtime.Machine}, after
    [open Dromos_policy_runtime.Machine], and defines [maker], a
    {!Dromos_hub.Hub.maker}.

    Every handler and function becomes an OCaml function, in the order of the
    policy. Reads of other cores are plain calls without locks, as in the
    semantics. The place of a move decides whether the move takes a lock: a
    function that moves threads is written once for each kind of place.

    [entry] and [exit] come when a worker begins and retires, [enter_idle] and
    [exit_idle] when a worker sleeps and wakes. [attach] is for a task that no
    worker made. A policy with a [detach] handler gets a function [detach] too,
    for its fibers; fibers that wait on a retiring worker leave by the [detach]
    of the interface. The machine has one domain, in which each core is a group.
*)

exception Not_compiled of Dromos_policy_core.Core.place * string
(** The policy uses a construct that the kernel has no room for, at this place:
    threads as values of attributes, for example. *)

val compile : source:string -> Dromos_policy_core.Core.policy -> string
(** [source] is named in the first line. *)
