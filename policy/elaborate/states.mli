(** Whether threads come to every state, and away from it. A READY state that
    [schedule] never looks into is an error: who waits there never runs. The
    rest are warnings. *)

open Dromos_policy_core
open Dromos_policy_syntax

val check : Core.policy -> Fault.t list
