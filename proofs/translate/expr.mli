(** Expressions. *)

val expr : Scope.t -> Typedtree.expression -> Heaplang.expr

val func : Scope.t -> string option -> Typedtree.expression -> Heaplang.expr
(** A function, under the name by which it calls itself. *)
