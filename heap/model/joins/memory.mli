(** The shared memory of the model, as each domain sees it: an instance of
    {!Buffers}. *)

val apply : State.t -> int -> State.write -> State.t
(** Makes a write visible at once: for atomic operations, and for memory that no
    other domain reads. *)

val put : State.t -> int -> State.write -> State.t
val drained : State.t -> int -> bool
val flush : State.t -> int -> (Label.t * State.t) list
val fence : State.t -> int -> State.t

val field : State.t -> int -> State.value -> int -> State.value
(** [field s d v f] is the field as domain [d] sees the field, through the
    domain's buffer. *)

val pin : State.t -> int -> State.value -> int
(** [pin s d v] is the pin as domain [d] sees it, bulk pins included; 1 for a
    frozen object. *)

val own_pin : State.t -> int -> State.value -> int
(** Like [pin], without the bulk pin of a set-apart chunk. *)

val is_private : State.t -> int -> State.value -> bool
(** True if the object is in the domain's leaf and not pinned. *)
