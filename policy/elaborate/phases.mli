(** Checks what a handler may look at and set, by the locks that it holds.

    If the lock of a core is not held, only the four observables of the core can
    be read ([cload], [count], [idle_cores], [active_cores]), and only by [new],
    [unblock], [balancing], [newly_idle] and stealing. A handler that holds the
    lock of its core looks at that core only. An attribute of no core must be
    [shared], or be set by a [synchronized] handler. The load of a thread may be
    set only while no [cload] counts the load. Functions are judged at their
    calls, by their arguments. *)

open Dromos_policy_core
open Dromos_policy_syntax

val check : Core.policy -> Fault.t list
