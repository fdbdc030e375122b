(** Refuses the kinds of expressions that are never in the subset. *)

val expression : Location.t -> Typedtree.expression -> 'a
(** Refuses the expression, and says what to write instead. *)
