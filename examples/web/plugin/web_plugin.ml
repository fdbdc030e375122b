(* The module is linked, since the loaded code refers to it. *)
module _ = Dromos_policy_runtime.Machine

let last = ref None
let register (maker : Dromos.Hub.maker) = last := Some maker
let registered () = !last
