(** Looking at parts of a state, and changing them. *)

val nil : State.value

val dead : State.value
(** The pointer that remains when a collection did not see the pointer and moved
    or freed its object. *)

val frozen : State.heap

val expired : int
(** An expired pin: the object is private again, and young collections do not
    move the object. *)

val own : State.t -> int -> int
(** The task that stands for a domain's own leaf; also the number of the leaf.
*)

val is_own : State.t -> int -> bool

val leaf : State.t -> int -> State.heap
(** The heap in which a domain allocates: the heap of the running task, or the
    domain's own leaf. *)

val obj : State.t -> State.value -> State.obj
val private_pin : int -> bool

val with_apart : State.obj -> int -> int
(** The effective pin of an object whose own pin is given: a bulk pin counts
    too. *)

val pin_of : State.obj -> int
val with_obj : State.t -> State.value -> State.obj -> State.t
val with_field : State.t -> State.value -> int -> State.value -> State.t
val with_task : State.t -> int -> State.task -> State.t
val with_reg : State.t -> int -> State.reg -> State.value -> State.t
val with_domain : State.t -> int -> State.domain -> State.t

val fork_of : State.t -> int -> int -> int * int
(** [fork_of s t j] is the fork of level [j] that task [t] is under: the task
    that forked, and the branch. *)
