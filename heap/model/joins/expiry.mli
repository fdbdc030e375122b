(** The expiry at a join. First the owner brings back the set-apart chunks; then
    pins expire, one at a time; then the join reads the result. A join during
    the marking of a cycle may put the expiry off. *)

val become : State.t -> int -> State.activity -> State.t
(** [become s d activity] sets the activity of domain [d]. *)

val begin_ : Fault.rules -> State.t -> int -> int -> State.t list
(** [begin_ rules s d child] starts the expiry in the leaf of [d] after the join
    of [child] has made the leaf less deep. The states returned: expiry now,
    and, if allowed, expiry put off. *)

val without : State.t -> int -> int -> State.t
(** [without s d child] ends the join of [child] with no expiry. *)

val put_off_earlier : Fault.rules -> State.t -> int -> (Label.t * State.t) list
(** The expiry that earlier joins put off, done by a full collection. *)

(** {1 Steps} *)

val bring_back :
  Fault.rules -> State.t -> int -> int -> (Label.t * State.t) list
(** Brings back the set-apart chunks, and notes the pins lowered there. *)

val step :
  Fault.rules ->
  State.t ->
  int ->
  int ->
  State.value list ->
  bool ->
  (Label.t * State.t) list
(** Lets the logged pins expire. Each pin is read in one step and written in the
    next. *)

val note : Fault.rules -> State.t -> int -> int -> (Label.t * State.t) list
(** Notes the pins lowered by other domains. *)
