(** The messages put and taken by tasks. A message is a number that encodes its
    sender and its place. A task notes a message right after the operation,
    before any point at which a cancellation could stop the task. *)

type t

val create : unit -> t
val note : t -> int -> unit

val entries : t -> int list
(** In the order of noting. *)

val message : int -> int -> int
(** [message sender number]. *)

val conserved : numbered:bool -> put:int list -> taken:int list -> unit
(** The messages taken are the messages put; only the count is compared if the
    messages are not [numbered]. *)

val in_order : int list -> unit
(** A taker gets each sender's messages in the order of putting. *)

val show : int list -> string
