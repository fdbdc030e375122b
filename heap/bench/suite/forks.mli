(** The two implementations of {!Program.Fork}. *)

val sequential : (module Program.Fork)
(** Plain loops of the standard library: the sequential elision. *)

val dromos : (module Program.Fork)
(** [Dromos] and [Dromos.Par], for calls inside [Dromos.run]. *)
