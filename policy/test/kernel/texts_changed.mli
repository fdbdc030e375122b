(** A text with a fault. *)

val replace : from:string -> by:string -> string -> bool * string
(** Replaces every [from] by [by]. The first result tells whether [from]
    occurred. *)
