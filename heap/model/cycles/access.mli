(** Looking at parts of a state, and changing them. *)

val nil : State.value

val dead : State.value
(** The remaining pointer to a freed object. *)

val own : State.t -> int -> int
(** The own leaf of a domain. *)

val tasks : State.t -> int
(** The number of leaves of tasks. *)

val leaf : State.t -> int -> int
(** The leaf in which a domain allocates. *)

val obj : State.t -> State.value -> State.obj

val leaf_of : State.obj -> int
(** The leaf of an object, or -1. *)

val is_lent : State.obj -> bool
(** True if the object is pinned until a join, by a pin of its own or by a bulk
    pin. *)

val shared : State.obj -> bool
(** True if the object is pinned for good, or frozen. *)

val pinned : State.obj -> bool
(** True if the object is shared or lent. *)

val data_slot : int

val keys : State.obj -> int list
(** The fields of a weak object that are keys. *)

val data_of : State.obj -> State.value
(** The data of a weak object, or [nil]. *)

val undecided : State.t -> State.value -> bool
(** True if the object has a pin of its own, or was frozen when the cycle began:
    the cycle decides whether the object lives, and weak pointers do not keep it
    alive. *)

val unmet : State.t -> State.value -> bool
(** True if the object is undecided and not marked so far. *)

val with_obj : State.t -> State.value -> State.obj -> State.t
val with_leaf : State.t -> int -> State.leaf -> State.t
val with_reg : State.t -> int -> State.reg -> State.value -> State.t
val with_domain : State.t -> int -> State.domain -> State.t

val numbered : (State.obj -> bool) -> State.t -> State.value list
(** The objects for which the function is true. *)

val each_obj : (State.obj -> State.obj) -> State.t -> State.t
val become : State.t -> int -> State.activity -> State.t

val marking : State.t -> bool
(** True from the first handshake to the end of the cycle. *)

val watches : State.t -> int -> bool
(** True if the domain runs its barriers. *)

val alive : State.t -> int list
val alone : State.t -> bool

val free : State.obj -> State.obj
(** The object's place, left empty. *)
