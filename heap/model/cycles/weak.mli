(** [weak.c], [grey_inbox.c], [weak_and_final.c]: reading and clearing weak
    pointers, and finalisers of unmarked objects. *)

type steps = (Label.t * State.t) list

val read : State.t -> int -> State.read -> steps
(** Reads a key or the data of a weak object. *)

val go_on : Rules.t -> State.t -> int -> State.activity -> steps
(** The next step of a read or of clearing. *)

(** {1 Tending} A heap is tended twice: domains take the finalisers of its
    unmarked objects, and then clear its weak pointers to unmarked objects. *)

val answer : Rules.t -> State.t -> int -> State.t
(** A domain answers. Clearing takes further steps. *)

val tend : Rules.t -> State.t -> int -> State.t
(** Tends a heap that no domain runs, unless it has been tended. *)

val tend_waiting : Rules.t -> State.t -> State.t
(** Tends all heaps that no domain runs. *)

(** {2 The frozen heap} *)

val take_frozen : State.t -> int -> State.t
(** Takes the finalisers of the frozen heap; the given leaf runs them. *)

val clear_frozen : Rules.t -> State.t -> State.t

(** {1 After tending} *)

val shade_revived : Rules.t -> State.t -> State.t option
(** Greys the objects kept by finalisers; [None] without such objects. *)

val forget : State.t -> State.t
(** Resets the state of weak objects and finalisers: the cycle is over. *)
