(** Joins: withdrawing what nobody took, merging the thief's heap, and the
    expiry of pins. *)

val start : Fault.rules -> State.t -> int -> (Label.t * State.t) list
(** Of the newest fork of the domain's task; nothing if it has to wait. *)

val of_task : Fault.rules -> State.t -> int -> int -> (Label.t * State.t) list
(** Of that task, whoever has forked it. *)

val step :
  Fault.rules ->
  State.t ->
  int ->
  int ->
  State.value list ->
  bool ->
  (Label.t * State.t) list
(** Of the pins that were logged, one at a time: read, then written. Then the
    result. *)

val let_expire : State.t -> int -> (Label.t * State.t) list
(** What joins have not, while a cycle marked. *)

val note : State.t -> int -> int -> (Label.t * State.t) list
(** What others have lowered. *)

val bring_back :
  Fault.rules -> State.t -> int -> int -> (Label.t * State.t) list
(** What was set apart for the fork. *)

val read_late : State.t -> int -> (Label.t * State.t) list
(** {!Fault.Closure_read_late}. *)
