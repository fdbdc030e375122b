(** [Domainslib.Chan] over [Dromos.Channel]: messages between tasks, and between
    tasks and domains or threads that run no task. First in, first out. A
    waiting task is suspended without blocking its domain; outside any task, the
    thread waits. *)

type !'a t

val make_bounded : int -> 'a t
(** [make_bounded n] has room for [n] messages. With [n = 0] a sender waits
    until its message is received. Raises [Invalid_argument "Chan.make_bounded"]
    if [n < 0]. *)

val make_unbounded : unit -> 'a t

val send : 'a t -> 'a -> unit
(** Waits while the channel is full. *)

val send_poll : 'a t -> 'a -> bool
(** [false] if {!send} would have to wait: the message is not sent. *)

val recv : 'a t -> 'a
(** Waits while the channel is empty. *)

val recv_poll : 'a t -> 'a option
(** [None] if {!recv} would have to wait. *)
