(** Joins: withdrawing what nobody took, merging the thief's heap, and how deep
    the joining task's is then. *)

val start : Fault.rules -> State.t -> int -> (Label.t * State.t) list
(** Of the newest fork of the domain's task; nothing if it has to wait. *)

val oldest : Fault.rules -> State.t -> int -> (Label.t * State.t) list
(** Of its oldest fork. *)

val of_task : Fault.rules -> State.t -> int -> int -> (Label.t * State.t) list
(** Of that task, whoever has forked it. *)

val append :
  Fault.rules ->
  State.t ->
  int ->
  int ->
  State.value list ->
  (Label.t * State.t) list
(** {!Fault.Lowered_merged_unlocked}. *)

val read_late : State.t -> int -> (Label.t * State.t) list
(** {!Fault.Closure_read_late}. *)
