(** Fields, as domains see them: {!Buffers}. *)

val apply : State.t -> State.write -> State.t
(** At once. *)

val put : State.t -> int -> State.write -> State.t
val drained : State.t -> int -> bool
val fence : State.t -> int -> State.t
val flush : State.t -> int -> (Label.t * State.t) list

val field : State.t -> int -> State.value -> int -> State.value
(** As the domain sees it, with its buffer. *)

val fields : State.t -> int -> State.value -> State.value list
