(** Checks that [schedule] looks into every READY state: otherwise a thread that
    waits there would never run, which is an error. Two things are warnings: a
    state to which no thread comes, and a [steal] that no handler calls. *)

open Dromos_policy_core
open Dromos_policy_syntax

val check : Core.policy -> Fault.t list
