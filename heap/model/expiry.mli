(** What a join lets expire: what was set apart is brought back, then pins
    expire, one at a time; then the result is read. While a cycle marks it is
    put off. *)

val become : State.t -> int -> State.activity -> State.t
(** Of a domain. *)

val begin_ : Fault.rules -> State.t -> int -> int -> State.t list
(** Of the domain's leaf, whose depth is less since that task was joined: now,
    or put off. *)

val without : State.t -> int -> int -> State.t
(** Nothing expires at that task's join. *)

val put_off_earlier : Fault.rules -> State.t -> int -> (Label.t * State.t) list
(** By a full collection. *)

(** {1 Steps} *)

val bring_back :
  Fault.rules -> State.t -> int -> int -> (Label.t * State.t) list
(** What was set apart; and what was lowered there is noted. *)

val step :
  Fault.rules ->
  State.t ->
  int ->
  int ->
  State.value list ->
  bool ->
  (Label.t * State.t) list
(** Of the pins that were logged: each is read, then written. *)

val note : Fault.rules -> State.t -> int -> int -> (Label.t * State.t) list
(** What others have lowered. *)
