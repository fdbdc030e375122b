(* A domain is the address of its runtime state; here the address is an
   immediate. *)
type domain = int

let none = 0

external self : unit -> domain = "dromos_nudge_self" [@@noalloc]
external nudge : domain -> unit = "dromos_nudge" [@@noalloc]
external install : (unit -> unit) -> unit = "dromos_nudge_install"
