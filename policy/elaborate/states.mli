(** Checks that threads come to every state and leave every state. A READY state
    is an error if [schedule] never looks into the state: a waiting thread there
    would never run. The rest are warnings. *)

open Dromos_policy_core
open Dromos_policy_syntax

val check : Core.policy -> Fault.t list
