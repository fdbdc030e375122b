(** Translates the payloads of ghost attributes. *)

val type_ghost : Env.t -> Parsetree.expression -> Typedtree.expression
(** Types the expression in an attribute. *)

val prophecy : Scope.t -> Location.t -> Env.t -> string -> Heaplang.expr
(** The prophecy of the record to which the named variable is bound. *)

val variable : Scope.t -> Location.t -> Env.t -> string -> Heaplang.expr
(** A variable of the program, or a variable bound by [[@fresh]]. *)
