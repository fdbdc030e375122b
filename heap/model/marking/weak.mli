(** [weak.c], [inbox.c], [told.c]: what is read from weak pointers, what is
    cleared, and finalisers of what was not met. *)

type steps = (Label.t * State.t) list

val read : State.t -> int -> State.read -> steps
(** Of a weak object's key, or its data. *)

val go_on : Rule.rules -> State.t -> int -> State.activity -> steps
(** To read, or to clear. *)

(** {1 Tending}

    A heap is tended in the stages where finalisers of what was not met are
    taken, and then weak pointers to the rest are cleared. *)

val answer : Rule.rules -> State.t -> int -> State.t
(** By a domain; clearing takes further steps. *)

val tend : Rule.rules -> State.t -> int -> State.t
(** A heap that nobody runs, unless it has been. *)

val tend_waiting : Rule.rules -> State.t -> State.t
(** All of these. *)

(** {2 What is frozen} *)

val take_frozen : State.t -> int -> State.t
(** Its finalisers, to that leaf. *)

val clear_frozen : Rule.rules -> State.t -> State.t

(** {1 The cycle goes on} *)

val shade_revived : Rule.rules -> State.t -> State.t option
(** If there is something. *)

val forget : State.t -> State.t
(** The cycle is over. *)
