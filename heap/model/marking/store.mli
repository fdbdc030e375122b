(** Publishing, and stores: before one, and in an exchange after it, come the
    barriers. *)

val share : Rule.rules -> State.t -> int -> State.value -> State.t option
(** By a domain, for good. [None]: it has to wait. *)

val share_all :
  Rule.rules -> State.t -> int -> State.value list -> State.t option
(** With a fence. *)

val lend : State.t -> int -> State.value -> State.t
(** Until a join. *)

val start :
  Rule.rules ->
  State.t ->
  int ->
  State.value ->
  int ->
  State.value ->
  (Heap_model.Label.t * State.t) list
(** Of a value into a field. *)

val go_on :
  Rule.rules ->
  State.t ->
  int ->
  State.activity ->
  (Heap_model.Label.t * State.t) list
