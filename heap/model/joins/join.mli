(** Joins: withdraw a branch that no domain took, or merge the heap of the
    thief; then set the depth of the joining task's heap. *)

val start : Fault.rules -> State.t -> int -> (Label.t * State.t) list
(** Joins the newest fork of the domain's task. No step while the join has to
    wait. *)

val oldest : Fault.rules -> State.t -> int -> (Label.t * State.t) list
(** Joins the oldest fork. *)

val of_task : Fault.rules -> State.t -> int -> int -> (Label.t * State.t) list
(** Joins the fork of a given task, whichever task forked. *)

val append :
  Fault.rules ->
  State.t ->
  int ->
  int ->
  State.value list ->
  (Label.t * State.t) list
(** The second step of {!Fault.Lowered_merged_unlocked}. *)

val read_late : State.t -> int -> (Label.t * State.t) list
(** The second step of {!Fault.Closure_read_late}. *)
