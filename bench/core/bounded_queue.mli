(** A bounded queue between threads in the usual design: a lock, and two
    condition variables. *)

type 'a t = { put : 'a -> unit; take : unit -> 'a }

val create : int -> 'a t
(** [put] waits while the queue is full, [take] while the queue is empty. *)
