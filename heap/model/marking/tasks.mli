(** [task.c]: leaves that change hands. *)

type steps = (Label.t * State.t) list

val fork : Rule.rules -> State.t -> int -> State.value -> int -> steps

val fork_apart : Rule.rules -> State.t -> int -> State.value -> int -> steps
(** Without a look at what the closure reaches. *)

val join : Rule.rules -> State.t -> int -> steps

val expire : Rule.rules -> State.t -> int -> steps
(** What a join during a cycle did not. *)

val suspend : Rule.rules -> State.t -> int -> steps

val finish : Rule.rules -> State.t -> int -> steps
(** Register 0 is the result. *)

val enter : Rule.rules -> State.t -> int -> steps
(** By a domain that runs no task: a branch that is offered, a suspended task.
*)
