(** What is reached: a mark for each object. *)

val reached : State.t -> State.value list -> bool array

val kept : State.t -> bool array
(** From anywhere, and by any pointer. *)

val kept_strongly : State.t -> bool array
(** Or by weak pointers that a cycle follows. *)

val undoom : State.t -> State.t
(** What somebody has is no garbage any more. *)
