(** [mark.c]: what a cycle has met, and what is still to be traced (grey). *)

type push = State.t -> State.value -> State.t
(** To somebody's greys. *)

val push : int -> push
(** A domain's. *)

val to_pool : push
(** The collector's. *)

val to_inbox : push
(** What it is given. *)

val met : State.t -> State.value -> State.t

val walked : State.t -> State.value -> State.t
(** If it is a continuation. *)

(** {1 Greying} *)

val grey : Rule.rules -> push -> State.t -> State.value -> State.t
(** If it is shared or lent, and not met. *)

(** By a domain that watches; else these do nothing: *)

val shade : Rule.rules -> State.t -> int -> State.value -> State.t

val overwritten :
  Rule.rules -> State.t -> int -> State.value -> State.value -> State.t
(** [overwritten rules s d target v]: [v] was in a field of [target]. *)

val stored : Rule.rules -> State.t -> int -> State.value -> State.t
(** It was shared before. *)

val taken : Rule.rules -> State.t -> int -> State.value -> State.t
(** From a record, which has no barrier. *)

(** By any domain: *)

val published : Rule.rules -> State.t -> int -> State.value -> State.t
(** It was private. *)

val lowered : Rule.rules -> State.t -> int -> State.value -> State.t
(** It was lent, and is shared for good. *)

(** {1 Scans} *)

val weakly : Rule.rules -> push -> State.t -> State.value -> State.t
(** A weak pointer is followed only to what is not shared by itself: nobody
    could say later whether it was already. *)

val told : Rule.rules -> push -> State.t -> State.value -> State.t
(** So is what has a finaliser. *)

val judge : Rule.rules -> State.t -> int -> State.t
(** What is in that leaf, and will not have been met, is dead. *)

val scan_leaf : Rule.rules -> State.t -> int -> push -> State.t
(** Nobody runs it. *)

val scan_domain : Rule.rules -> State.t -> int -> State.t
(** Its own leaf, and that where it allocates. *)

val of_c : State.t -> State.value list
(** What C's roots hold. *)

val flush : State.t -> int -> State.t
(** The domain's greys go to the collector. *)
