(** A text with a fault in it. *)

val replace : from:string -> by:string -> string -> bool * string
(** The text with [by] wherever [from] stood, and whether it stood anywhere. *)
