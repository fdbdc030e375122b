(** The moves of threads in a random policy. *)

val steal : Draw.t -> string
(** The whole declaration. *)

val placement : Draw.t -> string
(** The body of a function of a thread that returns a core, never none. *)
