(** What a random policy does when something happens. *)

val thread_events : Draw.t -> string
(** The body of [handler (thread_event e)]. *)

val core_events : Draw.t -> string

val settings : Draw.t -> string -> string
(** What is set of a new thread, so named, before it is moved. *)

val weight : Draw.t -> string
(** The body of a function of [nice] that gives the load of a thread. *)
