(** Shared memory: each domain's stores wait in a buffer and become visible in
    their order, as in the model of tasks' heaps. The collector's are seen at
    once. *)

val put : State.t -> int -> State.write -> State.t
(** By a domain: into its buffer. *)

val apply : State.t -> State.write -> State.t
(** At once. *)

val drained : State.t -> int -> bool
val fence : State.t -> int -> State.t

val flush : State.t -> int -> (Heap_model.Label.t * State.t) list
(** The oldest store in the buffer becomes visible. *)

val field : State.t -> int -> State.value -> int -> State.value
(** As the domain sees it, with its buffer. *)

val fields : State.t -> int -> State.value -> State.value list
val mark : State.t -> int -> State.value -> int
val kind : State.t -> int -> State.value -> State.kind
val is_lent : State.t -> int -> State.value -> bool
