(** The handlers of a random policy. *)

val thread_events : Draw.t -> string
(** The body of [handler (thread_event e)]. *)

val core_events : Draw.t -> string

val settings : Draw.t -> string -> string
(** Assignments to the new thread of this name, before its first move. *)

val weight : Draw.t -> string
(** The body of a function of [nice] that gives the load of a thread. *)
