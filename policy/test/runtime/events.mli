(** Random events, one after the other, to both of a pair; what the hub's kernel
    would tell it, and what that means to the machine. *)

val next : Random.State.t -> Pair.t -> string
(** Makes one that is possible; what it was. *)
