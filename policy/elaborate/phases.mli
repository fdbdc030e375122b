(** What a handler may look at and set, by the locks it holds.

    Of a core whose lock is not held only the four observables can be read
    ([cload], [count], [idle_cores], [active_cores]), and only by [new],
    [unblock], [balancing], [newly_idle] and stealing. Handlers that hold the
    lock of their core look at that core only. What belongs to no core is set
    where it is [shared], or by a [synchronized] handler; the load of a thread
    only while no [cload] counts it. Functions are judged where they are called,
    by their arguments. *)

open Dromos_policy_core
open Dromos_policy_syntax

val check : Core.policy -> Fault.t list
