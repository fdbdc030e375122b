(** Work for a runner, sent from any thread. *)

type 'a t

val create : unit -> 'a t
val send : 'a t -> 'a -> unit
val close : 'a t -> unit

val serve : 'a t -> ('a -> unit) -> unit
(** Passes the messages on, in order, and suspends the caller in between, until
    the mail is closed. *)
