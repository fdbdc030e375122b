(** The reachable objects: a mark for each object. *)

val reached : State.t -> State.value list -> bool array

val kept : State.t -> bool array
(** The objects that any root reaches, by any pointer. *)

val kept_strongly : State.t -> bool array
(** The objects that roots reach by strong pointers, and by the weak pointers
    that a cycle follows. *)

val undoom : State.t -> State.t
(** Takes reachable objects off the list of old garbage: a task has read them
    from weak pointers. *)
