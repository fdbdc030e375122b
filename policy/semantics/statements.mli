(** Statements to code. *)

val block : Scope.t -> Core.block -> unit
