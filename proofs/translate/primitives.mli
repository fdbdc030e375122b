(** What the translator knows of the standard library, by names without
    [Stdlib]. *)

val check_known : Location.t -> string -> int -> unit
(** Refuses a function, given the number of its arguments, that {!plain} does
    not translate. *)

val plain : string -> Heaplang.expr list -> Heaplang.expr option
(** Those that do not depend on the types of their arguments. *)

val is_structural : string -> bool
val is_physical : string -> bool

val comparison :
  string -> Heaplang.expr -> Heaplang.expr -> Heaplang.expr option
