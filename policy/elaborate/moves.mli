open Dromos_policy_core
open Dromos_policy_syntax

val check : Core.policy -> Fault.t list
