(** Marks: by domains, whose greys wait in buffers of their own, and by the
    collector. *)

val colour : Rule.rules -> int -> int
(** Of what is marked in that cycle. *)

(** {1 How far a domain is} *)

val aware : State.t -> int -> bool
(** It has barriers. *)

val early : State.t -> int -> bool
(** Aware, and it has not scanned. *)

val scanned : State.t -> int -> bool
(** In this cycle. *)

(** {1 Marking} *)

val grey : Rule.rules -> State.t -> int -> State.value -> State.t
(** By a domain: if it is shared, and not marked. *)

val born : Rule.rules -> State.t -> int -> State.value -> State.t
(** By a domain: it becomes shared. *)

val to_pool : Rule.rules -> State.t -> State.value -> State.t
(** By the collector. *)

val hand_over : State.t -> int -> State.t
(** The domain's greys go to the collector. *)

(** {1 Scans}, given who greys *)

val scan_leaf :
  Rule.rules -> State.t -> int -> (State.t -> State.value -> State.t) -> State.t

val scan_domain :
  Rule.rules -> State.t -> int -> (State.t -> State.value -> State.t) -> State.t
(** With its leaf. *)
