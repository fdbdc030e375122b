(** The action at the end of a publication, when every object that the action
    makes reachable has been published. *)

val reach :
  Fault.rules -> State.t -> int -> State.goal -> (Label.t * State.t) list
(** No step while an atomic operation waits for the buffer. *)

val end_ : State.t -> int -> State.t
(** [end_ s t] makes task [t] finished, with the result in its record. *)
