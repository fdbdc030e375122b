(** Shared memory: each domain's stores wait in a buffer and become visible in
    their order, as on amd64 (Owens, Sarkar and Sewell, TPHOLs 2009). *)

val put : State.t -> int -> State.write -> State.t
(** By a domain: into its buffer. *)

val apply : State.t -> int -> State.write -> State.t
(** At once: atomic operations, and what nobody else can see. *)

val drained : State.t -> int -> bool
(** A fence, or an atomic operation, waits for this. *)

val flush : State.t -> int -> (Label.t * State.t) list
(** The oldest store in the buffer becomes visible. *)

val field : State.t -> int -> State.value -> int -> State.value
(** As the domain sees it, with its buffer. *)

val pin : State.t -> int -> State.value -> int
(** Likewise; of a frozen object: 1. *)

val own_pin : State.t -> int -> State.value -> int
(** Where its chunk was not set apart. *)

val is_private : State.t -> int -> State.value -> bool
(** Of the domain's leaf, and not pinned. *)
