(** Compiles statements. *)

val block : Scope.t -> Core.block -> unit
