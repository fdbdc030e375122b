(** [Domainslib.Chan], version 0.5.2, over Dromos' channels. *)

type 'a t

val make_bounded : int -> 'a t
(** Of capacity 0: a sender waits for its receiver. *)

val make_unbounded : unit -> 'a t
val send : 'a t -> 'a -> unit
val send_poll : 'a t -> 'a -> bool
val recv : 'a t -> 'a
val recv_poll : 'a t -> 'a option
