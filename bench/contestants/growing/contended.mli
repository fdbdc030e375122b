(** Contention: [n] operations on one structure, dealt to so many tasks (the
    cut-off).

    An operation of [contend_mutex] and [contend_semaphore] (four permits)
    counts one more while it holds what it took; of [contend_channel] (capacity
    16) it sends a message and receives one; of [contend_barrier] it is an
    arrival of one task. Between two operations a task counts to a hundred. *)

type structures = {
  mutex : unit -> (unit -> unit) * (unit -> unit);  (** lock, unlock *)
  channel : int -> (int -> unit) * (unit -> int);  (** send, receive *)
  semaphore : int -> (unit -> unit) * (unit -> unit);  (** acquire, release *)
  barrier : int -> unit -> unit;  (** of so many parties: arrive and wait *)
}

val jobs :
  structures ->
  together:((unit -> unit) list -> unit) ->
  (string * Bench_core.Contestant.job) list
(** [together] makes a task of each function, and waits for all. *)
