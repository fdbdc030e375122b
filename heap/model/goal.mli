(** What is done when all that it makes reachable has been published. *)

val reach :
  Fault.rules -> State.t -> int -> State.goal -> (Label.t * State.t) list
(** None while an atomic operation waits for the buffer. *)

val end_ : State.t -> int -> State.t
(** A task has its result, and has finished. *)
