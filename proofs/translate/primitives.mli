(** The functions of the standard library that the translator knows. A name
    comes without [Stdlib]. *)

val check_known : Location.t -> string -> int -> unit
(** [check_known loc name arity] refuses a function that {!plain} does not
    translate with [arity] arguments. *)

val plain : string -> Heaplang.expr list -> Heaplang.expr option
(** [plain name args] translates a call, if the translation does not depend on
    the types of the arguments. *)

val is_structural : string -> bool
val is_physical : string -> bool

val comparison :
  string -> Heaplang.expr -> Heaplang.expr -> Heaplang.expr option
(** [comparison name a b] translates a comparison, structural or physical. *)
