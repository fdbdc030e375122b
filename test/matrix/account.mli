(** Who has put and taken what. Messages are numbers that tell their sender and
    their place; a task writes down what it has put or taken right after the
    operation, before anything that a cancellation could stop. *)

type t

val create : unit -> t
val note : t -> int -> unit

val entries : t -> int list
(** In the order in which they were noted. *)

val message : int -> int -> int
(** Of that sender, with that number. *)

val conserved : numbered:bool -> put:int list -> taken:int list -> unit
(** What was taken is what was put, no more and no less; only the count, if the
    messages are not [numbered]. *)

val in_order : int list -> unit
(** One taker sees each sender's messages in the order in which they were put.
*)

val show : int list -> string
