(** A policy as a hub for Dromos's kernel: fibers are the threads, workers the
    cores. The code stands on {!Dromos_policy_runtime.Machine}, which it calls
    by [open Dromos_policy_runtime]; it defines [maker], a
    {!Dromos_hub.Hub.maker}.

    Every handler and function becomes one OCaml function of the same name, in
    the order of the policy. Reads of other cores are plain calls, without
    locks, as the semantics has them; whether a move needs a lock is decided by
    where it stands: a function that moves threads is written once for each of
    these.

    [entry] and [exit] are a worker that begins and retires, [enter_idle] and
    [exit_idle] one that sleeps and wakes. [attach] is a task that no worker
    made. A policy that says how threads leave has a function [detach] too, for
    its fibers; those that wait where a worker retires leave by the interface's.
    There is one domain, and each core is a group. *)

exception Not_compiled of Dromos_policy_core.Core.place * string
(** What the kernel has no room for, and where it stands: threads as values of
    attributes, loops over threads. *)

val compile : source:string -> Dromos_policy_core.Core.policy -> string
(** [source] is named in the first line. *)
