(** A gate at which tasks wait until it is opened, for good. *)

type t

val create : unit -> t
val open_ : t -> unit
val pass : t -> unit Step.op
