(** What a domain sees of shared memory: {!Buffers}. *)

val apply : State.t -> int -> State.write -> State.t
(** At once: atomic operations, and what nobody else can see. *)

val put : State.t -> int -> State.write -> State.t
val drained : State.t -> int -> bool
val flush : State.t -> int -> (Label.t * State.t) list
val fence : State.t -> int -> State.t

val field : State.t -> int -> State.value -> int -> State.value
(** As the domain sees it, with its buffer. *)

val pin : State.t -> int -> State.value -> int
(** Likewise; of a frozen object: 1. *)

val own_pin : State.t -> int -> State.value -> int
(** Where its chunk was not set apart. *)

val is_private : State.t -> int -> State.value -> bool
(** Of the domain's leaf, and not pinned. *)
