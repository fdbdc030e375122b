(** Publishing, for good or until a join. The model of tasks' heaps has the
    lowering of pins beside stores. *)

type until = For_good | A_join

val publish :
  Rules.t -> until -> State.t -> int -> State.value -> State.t option
(** Publishes a value by a domain; always for good if the domain runs in its own
    leaf. [None] while the domain has to wait for stores of other domains into
    lent objects. *)

val publish_all :
  Rules.t -> State.t -> int -> State.value list -> State.t option
(** Publishes several values for good. *)

val may_expire : Rules.t -> State.t -> bool

val expire : Rules.t -> State.t -> int -> State.t
(** Makes the lent objects of a leaf private again, and brings back the
    set-apart ones. *)

val set_apart : Rules.t -> State.t -> int -> State.t list
(** Lends a whole leaf, dead objects included; pins of objects stay as they are.
    A chunk with holes is not lent as a whole: there only the pinned objects are
    lent. *)

val freeze : State.t -> int -> State.t
(** Makes a whole leaf frozen. *)
