(** What a handler may do with [e.waker]: compare it, and read its attributes.
*)

open Dromos_policy_core
open Dromos_policy_syntax

val check : Core.policy -> Fault.t list
(** Linear in the handlers. *)
