(** Questions that every back end asks about a policy. *)

open Core

val load : policy -> attribute option
(** The thread attribute [load]; without it every thread's load is 1. *)

val affinity : policy -> func option
(** [bool can_run(thread t, core c)]: which cores a thread may run on; without
    it all. Elaboration sees to it that it says no more than the system does. *)

val reactions : policy -> handler list
(** All that machines and hubs run: the handlers, and the functions of the
    interface as those of [Attach] and [Withdraw]. A policy that has one of
    [detach] in its handlers and in its interface has it for both events. *)

val handler : policy -> event -> handler option

val runnable : state -> bool
(** Its threads count in [count(c)] and [cload]: [Running] or [Ready]. *)

val displaced_to : state -> int option
(** Of a [Ready] state of one thread: the state to which a thread is moved from
    there when another thread comes. *)

val running : policy -> state
(** The one state of class [Running]. *)

val ready : policy -> state list
(** In order of declaration: the order in which [steal_thread] is offered their
    threads. *)

val entered : policy -> state list
(** The states to which some statement moves threads, or displaces them, of a
    handler, of the interface or of [steal_thread]: a queue that is not among
    them is always empty. Linear in the policy. *)

val may_wait : policy -> expression list
(** The conditions of [exempt waiting], of a ready thread: one that holds is
    enough. *)

val rounds : policy -> int
(** The idle rounds of balancing within which it promises to conserve: 0 if it
    does not say. *)
