(** Checks where each handler leaves its thread. Every path must keep the thread
    in exactly one queue, as the table of events in doc/policy/semantics.md
    demands. Together with correct locks and data structures, no thread is then
    lost or doubled. *)

open Dromos_policy_core
open Dromos_policy_syntax

val check : Core.policy -> Fault.t list
