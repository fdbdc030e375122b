(** All events, by name and kind. *)

open Dromos_policy_core

val all : (string * Core.event) list
val text : Core.event -> string

val of_thread : Core.event -> bool
(** True for the events of [handler (thread_event e)], among them [schedule]. *)

val target : Core.event -> Core.ty
(** The type of [e.target]: a core for [schedule] and the events of cores. *)

val may_observe : Core.event -> bool
(** True for the events that observe without the lock of any core: [new],
    [unblock], [balancing], [newly_idle]. *)
