(* The part of a vproc that Sleepers uses. *)

type t = { id : int; mutable idle : bool }

let id v = v.id
let is_idle v = v.idle
let host () : t = failwith "each sleeper names its host"
