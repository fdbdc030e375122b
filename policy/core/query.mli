(** Questions that every back end asks about a policy. *)

open Core

val load : policy -> attribute option
(** The thread attribute [load]; without it every thread's load is 1. *)

val handler : policy -> event -> handler option

val runnable : state -> bool
(** Its threads count in [count(c)] and [cload]: [Running] or [Ready]. *)

val running : policy -> state
(** The one state of class [Running]. *)

val ready : policy -> state list
(** In order of declaration: the order in which [steal_thread] is offered their
    threads. *)

val rounds : policy -> int
(** The idle rounds of balancing within which it promises to conserve: 0 if it
    does not say. *)
