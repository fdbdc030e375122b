let pc = 0
let self = 1
let target = 2
let waker = 3
let first_register = 4

(* Registers are not negative, so attributes are. *)
let attribute (a : Dromos_policy_core.Core.attribute) = -1 - a.id
