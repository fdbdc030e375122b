(** Shared memory under total store order: the stores of a domain wait in a
    buffer and become visible in program order, as on amd64 (Owens, Sarkar and
    Sewell, TPHOLs 2009). *)

module type Memory = sig
  type state
  type write

  val buffer : state -> int -> write list
  (** The stores that wait in the buffer of a domain, oldest first. *)

  val with_buffer : state -> int -> write list -> state

  val apply : state -> int -> write -> state
  (** Makes a store visible to all domains. *)

  val waited_for : write -> bool
  (** True if other domains do nothing with the store but wait for it. The store
      then becomes visible together with the store before: a later moment would
      add no behaviour. *)

  val label : write -> Label.t
end

module Make (M : Memory) : sig
  val put : M.state -> int -> M.write -> M.state
  (** [put s d write] appends a store of domain [d] to the buffer. *)

  val drained : M.state -> int -> bool
  (** True if the buffer is empty. A fence or an atomic operation waits for an
      empty buffer. *)

  val flush : M.state -> int -> (Label.t * M.state) list
  (** The step in which the oldest store of the buffer becomes visible. *)

  val fence : M.state -> int -> M.state
  (** Makes all stores of the buffer visible. *)

  val look : M.state -> int -> (M.write -> 'a option) -> 'a -> 'a
  (** [look s d f v] is the value that domain [d] sees: [f] of the newest store
      in the buffer for which [f] is not [None], or else [v]. *)
end
