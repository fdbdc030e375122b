(** What ghost attributes stand for. *)

val type_ghost : Env.t -> Parsetree.expression -> Typedtree.expression
(** Types what an attribute holds. *)

val prophecy : Scope.t -> Location.t -> Env.t -> string -> Heaplang.expr
(** The prophecy of the record that a variable names. *)

val variable : Scope.t -> Location.t -> Env.t -> string -> Heaplang.expr
(** A variable, of the program or bound by [[@fresh]]. *)
