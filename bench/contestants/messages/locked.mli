(** Bounded queues as one would write them with a lock, the rivals of the
    lock-free structures: the design of Eio's streams, a queue of items with
    those who wait beside it. *)

type 'a t = 'a Bench_core.Bounded_queue.t = {
  put : 'a -> unit;
  take : unit -> 'a;
}

val conditions : int -> 'a t
(** Between threads, who wait on condition variables. *)

val resumers : int -> 'a t
(** Between tasks of any scheduler, who suspend. *)
