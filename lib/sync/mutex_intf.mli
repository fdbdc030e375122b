(** The interface of {!Mutex} for programs. *)

module type S = sig
  type t

  val create : ?name:string -> unit -> t
  (** [name] appears in errors and in reports of deadlocks. *)

  val lock : ?timeout:float -> t -> unit
  (** Raises {!Event.Timeout} if the caller would wait longer than [timeout]
      seconds, and [Invalid_argument] at once if the caller holds the mutex. *)

  val try_lock : t -> bool
  (** [false] if a task, the caller included, holds the mutex. Overtakes waiters
      as {!lock} does. *)

  val lock_event : t -> unit Event.t
  (** The task that synchronizes becomes the holder. If the task holds the mutex
      already, the event waits for ever, unlike {!lock}: under a scheduler whose
      tasks share an identity, another task may unlock. *)

  val unlock : t -> unit
  (** Never blocks. Raises [Invalid_argument] if the caller is not the holder.
  *)

  val protect : ?timeout:float -> t -> (unit -> 'a) -> 'a
  (** [protect t f] is [f ()] with the mutex held. The mutex is unlocked
      whatever happens in [f]. *)

  val is_locked : t -> bool
  (** A snapshot. *)
end
