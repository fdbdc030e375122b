(** The two implementations of {!Program.Fork}. *)

val sequential : (module Program.Fork)
(** The sequential elision: plain loops of the standard library. *)

val dromos : (module Program.Fork)
(** [Dromos] and [Dromos.Par], for calls inside [Dromos.run]. *)
