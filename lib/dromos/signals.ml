(* OCaml's own (negative) numbers and the system's; real-time signals are left
   alone. *)
let all = List.init 29 (fun i -> -1 - i) @ List.init 31 succ

let mask how signals =
  match Thread.sigmask how signals with
  | old -> Some old
  | exception (Invalid_argument _ | Unix.Unix_error _ | Sys_error _) -> None

let initial = Option.value (mask SIG_BLOCK []) ~default:[]

let under how signals f =
  match mask how signals with
  | None -> f ()
  | Some old -> Fun.protect f ~finally:(fun () -> ignore (mask SIG_SETMASK old))

let blocked f = under SIG_BLOCK all f
let restored f = under SIG_SETMASK initial f
