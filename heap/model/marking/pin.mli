(** Publishing, for good or until a join. (How pins are lowered while others
    store the model of tasks' heaps has.) *)

type until = For_good | A_join

val publish :
  Rule.rules -> until -> State.t -> int -> State.value -> State.t option
(** By a domain; in its own leaf it is for good. [None]: it has to wait, as
    others store into what is lent. *)

val publish_all :
  Rule.rules -> State.t -> int -> State.value list -> State.t option
(** For good. *)

val may_expire : Rule.rules -> State.t -> bool

val expire : Rule.rules -> State.t -> int -> State.t
(** What a leaf has lent is private again, what it has set apart comes back. *)

val set_apart : Rule.rules -> State.t -> int -> State.t list
(** All of a leaf is lent, dead or not, and keeps pins of its own; what is
    around holes, if there are, has only these. *)

val freeze : State.t -> int -> State.t
(** All of a leaf belongs to all. *)
