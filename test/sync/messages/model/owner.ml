(* The part of owners that the lazy value needs. *)

type t = int

let self = Dromos_suspend.self
let nobody = 0
let is a b = a <> nobody && a = b
