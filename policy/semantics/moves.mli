(** The code of [t => c.q]: the fragments, and the locks around them. *)

val compile :
  Scope.t ->
  thread:Code.expression ->
  core:Code.expression ->
  Core.state ->
  unit
(** In phase 3 of stealing, the thread leaves and is added to the chain of
    stolen threads. *)

val arrive : Scope.t -> int -> core:Code.expression -> unit
(** Fragments 3 and 4 of a thread on its way; the register holds the thread. *)
