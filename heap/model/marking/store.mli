(** Stores: before one come publication and barriers, an exchange has its
    barrier after. *)

type steps = (Label.t * State.t) list

val store :
  Rule.rules -> State.t -> int -> State.value -> int -> State.value -> steps
(** Of a value into a field. *)

val exchange :
  Rule.rules ->
  State.t ->
  int ->
  State.reg ->
  State.value ->
  int ->
  State.value ->
  steps
(** The same; what was there comes into the register. *)

val go_on : Rule.rules -> State.t -> int -> State.activity -> steps

(** {1 C's roots} *)

val set_root : Rule.rules -> State.t -> int -> State.value -> steps
val get_root : State.t -> int -> State.reg -> steps
