(** Continuations ([pin.c], [mark.c]): their stacks have no barrier, and who
    resumes one goes on in it. *)

type steps = (Label.t * State.t) list

val captured : State.value -> Label.t * State.t -> Label.t * State.t
(** A new object is one, whose stack has that. *)

val resume : Rule.rules -> State.t -> int -> State.reg -> State.value -> steps
val take : State.t -> int -> State.reg -> State.value -> steps

val walk : State.t -> State.value -> steps
(** By who traces. *)

val walk_on : Rule.rules -> State.t -> steps
