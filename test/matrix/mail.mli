(** Work for a runner, sent from any thread. *)

type t

val create : unit -> t
val send : t -> (unit -> unit) -> unit
val close : t -> unit

val serve : t -> ((unit -> unit) -> unit) -> unit
(** Hands on what is sent, in order, suspending the caller in between, until the
    mail is closed. *)
