(** Scenarios for structures with a limited number of holders at a time:
    mutexes, writers of an rwlock, semaphores. *)

type t = {
  acquire : unit Step.op;
  acquire_for : float -> unit option Step.op;
  release : unit -> unit;
  try_acquire : unit -> bool;
}

type kind = { make : unit -> t; holders : int }

val scenarios : kind -> (string * (Env.t -> unit)) list
