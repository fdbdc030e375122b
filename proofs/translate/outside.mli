(** Expressions that are outside the subset altogether. *)

val expression : Location.t -> Typedtree.expression -> 'a
(** Refuses it, and says what to do instead. *)
