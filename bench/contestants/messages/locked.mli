(** Bounded queues in the usual design with a lock, as rivals of the lock-free
    structures: as in Eio's streams, a queue of items with a queue of waiters
    beside it. *)

type 'a t = 'a Bench_core.Bounded_queue.t = {
  put : 'a -> unit;
  take : unit -> 'a;
}

val conditions : int -> 'a t
(** Between threads, which wait on condition variables. *)

val resumers : int -> 'a t
(** Between tasks of any scheduler, which suspend. *)
