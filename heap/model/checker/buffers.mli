(** Shared memory: each domain's stores wait in a buffer and become visible in
    their order, as on amd64 (Owens, Sarkar and Sewell, TPHOLs 2009). *)

module type Memory = sig
  type state
  type write

  val buffer : state -> int -> write list
  (** A domain's, oldest first. *)

  val with_buffer : state -> int -> write list -> state

  val apply : state -> int -> write -> state
  (** All see it. *)

  val waited_for : write -> bool
  (** Others only wait for it. Then it becomes visible with what is before it:
      later is no different. *)

  val label : write -> Label.t
end

module Make (M : Memory) : sig
  val put : M.state -> int -> M.write -> M.state
  (** By a domain: into its buffer. *)

  val drained : M.state -> int -> bool
  (** A fence, or an atomic operation, waits for this. *)

  val flush : M.state -> int -> (Label.t * M.state) list
  (** The oldest store in the buffer becomes visible. *)

  val fence : M.state -> int -> M.state
  (** All of them do. *)

  val look : M.state -> int -> (M.write -> 'a option) -> 'a -> 'a
  (** What a domain sees: of its newest store that tells, or else this. *)
end
