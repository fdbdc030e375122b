(** Translates expressions. *)

val expr : Scope.t -> Typedtree.expression -> Heaplang.expr

val func : Scope.t -> string option -> Typedtree.expression -> Heaplang.expr
(** [func scope self f] translates the function [f]. [self] is the name by which
    [f] calls itself, if [f] is recursive. *)
