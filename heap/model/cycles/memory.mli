(** The fields of objects, as each domain sees them: an instance of {!Buffers}.
*)

val apply : State.t -> State.write -> State.t
(** Makes a store visible at once. *)

val put : State.t -> int -> State.write -> State.t
val drained : State.t -> int -> bool
val fence : State.t -> int -> State.t
val flush : State.t -> int -> (Label.t * State.t) list

val field : State.t -> int -> State.value -> int -> State.value
(** The field as the domain sees the field, through the domain's buffer. *)

val fields : State.t -> int -> State.value -> State.value list
