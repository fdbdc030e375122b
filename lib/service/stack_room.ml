external plenty : int -> bool = "dromos_stack_plenty" [@@noalloc]
external check : int -> unit = "dromos_stack_check"

(* Words. The deepest operation publishes a task and asks for a domain. *)
let room = 1024

let[@inline] ensure n =
  let words = n * room in
  if not (plenty words) then check words
