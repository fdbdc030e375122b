(** Checks the uses of [e.waker]: a handler may compare the waker and read the
    waker's attributes. *)

open Dromos_policy_core
open Dromos_policy_syntax

val check : Core.policy -> Fault.t list
(** Linear in the handlers. *)
