(** Collections. One of a leaf is one step: it touches what is the domain's own,
    and {!Invariant} sees to it that nobody else does. *)

type scope = Young | Full

val leaf : Fault.rules -> scope -> int -> State.t -> State.t
(** By a domain. Pointers that it does not see, to what it moves or frees, are
    dead after it. *)

val global : Fault.rules -> State.t -> State.t
(** With the world stopped. *)
