(** Checks that a comparison is in the subset. *)

val check_physical : Scope.t -> Typedtree.expression -> unit
(** Refuses an operand that may be an immutable block. *)

val is_physical : Scope.t -> Typedtree.expression -> bool
(** True if {!check_physical} accepts the operand. *)

val check_structural : string -> Typedtree.expression -> unit
(** [check_structural name operand] refuses an operand whose type is not
    immediate. [name] is the comparison: [=] or the like. *)
