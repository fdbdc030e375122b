(** A bounded queue as one would write it between threads: a lock, and two
    condition variables. *)

type 'a t = { put : 'a -> unit; take : unit -> 'a }

val create : int -> 'a t
(** [put] waits while the queue has as many items as its capacity, [take] while
    it has none. *)
