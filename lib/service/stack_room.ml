external plenty : int -> bool = "dromos_stack_plenty" [@@noalloc]
external fits : int -> bool = "dromos_stack_fits"

(* Words. The deepest operation publishes a task and asks for a domain. *)
let room = 1024

let[@inline] has n =
  let words = n * room in
  plenty words || fits words

let[@inline] ensure n = if not (has n) then raise Stack_overflow
