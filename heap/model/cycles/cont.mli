(** Continuations ([pin.c], [mark.c]). A stack has no write barrier, and the
    task that resumes a continuation runs on its stack. *)

type steps = (Label.t * State.t) list

val captured : State.value -> Label.t * State.t -> Label.t * State.t
(** Makes the newest object a continuation whose stack holds the given value. *)

val resume : Rules.t -> State.t -> int -> State.reg -> State.value -> steps
val take : State.t -> int -> State.reg -> State.value -> steps

val walk : State.t -> State.value -> steps
(** The collector begins to walk the stack of a continuation. *)

val walk_on : Rules.t -> State.t -> steps
