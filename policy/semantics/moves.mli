(** Code for [t => c.q]: its fragments, and the locks it takes. *)

val compile :
  Scope.t ->
  thread:Code.expression ->
  core:Code.expression ->
  Core.state ->
  unit
(** In phase 3 of stealing: the thread leaves, and waits in the chain. *)

val arrive : Scope.t -> int -> core:Code.expression -> unit
(** Fragments 3 and 4 of the thread in this register, which is on its way. *)
