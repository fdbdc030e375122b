(** Contention: [n] operations on one structure, dealt to [cutoff] tasks.

    An operation of [contend_mutex] takes the mutex, counts, and releases the
    mutex; [contend_semaphore] does the same with one of four permits. An
    operation of [contend_channel] (capacity 16) sends a message and receives
    one. An operation of [contend_barrier] is the arrival of one task. Between
    two operations a task counts to a hundred. *)

type structures = {
  mutex : unit -> (unit -> unit) * (unit -> unit);  (** lock, unlock *)
  channel : int -> (int -> unit) * (unit -> int);  (** send, receive *)
  semaphore : int -> (unit -> unit) * (unit -> unit);  (** acquire, release *)
  barrier : int -> unit -> unit;
      (** for the given number of parties: arrive and wait *)
}

val jobs :
  structures ->
  together:((unit -> unit) list -> unit) ->
  (string * Bench_core.Contestant.job) list
(** [together] makes a task of each function, and waits for all. *)
