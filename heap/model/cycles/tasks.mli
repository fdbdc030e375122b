(** [task.c]: leaves that change domains. *)

type steps = (Label.t * State.t) list

val fork : Rules.t -> State.t -> int -> State.value -> int -> steps

val fork_apart : Rules.t -> State.t -> int -> State.value -> int -> steps
(** Forks, and sets the leaf apart without a walk of the closure. *)

val join : Rules.t -> State.t -> int -> steps

val expire : Rules.t -> State.t -> int -> steps
(** The expiry that a join during a cycle has put off. *)

val suspend : Rules.t -> State.t -> int -> steps

val finish : Rules.t -> State.t -> int -> steps
(** Ends a task; register 0 is the result. *)

val enter : Rules.t -> State.t -> int -> steps
(** A domain that runs no task takes an offered branch or a suspended task. *)
