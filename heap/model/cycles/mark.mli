(** [mark.c]: the objects that a cycle has marked ([met]), and the objects that
    are still to be traced (grey). *)

type push = State.t -> State.value -> State.t
(** Adds an object to a grey stack. *)

val push : int -> push
(** The grey stack of a domain. *)

val to_pool : push
(** The grey stack of the collector. *)

val to_inbox : push
(** The inbox, where domains give objects to the collector. *)

val met : State.t -> State.value -> State.t

val walked : State.t -> State.value -> State.t
(** Notes the walk of a continuation's stack. Any other object stays as before.
*)

(** {1 Greying} *)

val grey : Rules.t -> push -> State.t -> State.value -> State.t
(** Marks and greys an object that is shared or lent and not marked. *)

(** The next four functions do nothing unless the domain has its barriers
    ([watches]). *)

val shade : Rules.t -> State.t -> int -> State.value -> State.t

val overwritten :
  Rules.t -> State.t -> int -> State.value -> State.value -> State.t
(** [overwritten rules s d target v]: domain [d] has overwritten [v] in a field
    of [target]. *)

val stored : Rules.t -> State.t -> int -> State.value -> State.t
(** The domain has stored an object that was shared before. *)

val taken : Rules.t -> State.t -> int -> State.value -> State.t
(** The domain has taken an object from a record. A record has no barrier. *)

(** The next two functions work for any domain. *)

val published : Rules.t -> State.t -> int -> State.value -> State.t
(** The domain has published an object that was private. *)

val lowered : Rules.t -> State.t -> int -> State.value -> State.t
(** The domain has shared for good an object that was lent. *)

(** {1 Scans} *)

val weakly : Rules.t -> push -> State.t -> State.value -> State.t
(** Follows a weak pointer only to an object about which the cycle does not
    decide ([undecided]): nothing could tell later whether the object was shared
    already. *)

val told : Rules.t -> push -> State.t -> State.value -> State.t
(** Follows the pointer of a finaliser in the same way. *)

val judge : Rules.t -> State.t -> int -> State.t
(** Judges a leaf: after the cycle, its unmarked objects are dead. *)

val scan_leaf : Rules.t -> State.t -> int -> push -> State.t
(** Scans a leaf that no domain runs. *)

val scan_domain : Rules.t -> State.t -> int -> State.t
(** Scans the domain's own leaf, and the leaf in which the domain allocates. *)

val of_c : State.t -> State.value list
(** The objects held by C's roots. *)

val flush : State.t -> int -> State.t
(** Gives the grey stack of the domain to the collector. *)
