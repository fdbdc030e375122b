(** Which comparisons are allowed. *)

val check_physical : Scope.t -> Typedtree.expression -> unit
(** Refuses what may be an immutable block. *)

val is_physical : Scope.t -> Typedtree.expression -> bool

val check_structural : string -> Typedtree.expression -> unit
(** Refuses operands of [=] and the like that are not immediate. *)
