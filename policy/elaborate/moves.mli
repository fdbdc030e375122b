(** Where each handler leaves its thread: every path of it must keep the thread
    in exactly one queue, as the table of events in doc/policy/semantics.md
    demands. Locks and data structures aside, that is why no thread is lost or
    doubled. *)

open Dromos_policy_core
open Dromos_policy_syntax

val check : Core.policy -> Fault.t list
