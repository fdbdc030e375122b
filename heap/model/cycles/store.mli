(** Stores. A store publishes its value and runs its barrier before the write;
    an exchange runs its barrier after. *)

type steps = (Label.t * State.t) list

val store :
  Rules.t -> State.t -> int -> State.value -> int -> State.value -> steps
(** Stores a value into a field. *)

val exchange :
  Rules.t ->
  State.t ->
  int ->
  State.reg ->
  State.value ->
  int ->
  State.value ->
  steps
(** Stores a value into a field; the old value goes to the register. *)

val go_on : Rules.t -> State.t -> int -> State.activity -> steps

(** {1 C's roots} *)

val set_root : Rules.t -> State.t -> int -> State.value -> steps
val get_root : State.t -> int -> State.reg -> steps
