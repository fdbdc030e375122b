(** Publishing, one access to shared memory at a time, and the operation that
    needs the publication: a store, a fork, or a switch of leaves. *)

val start : State.t -> int -> State.goal -> State.t
(** [start s d goal] makes domain [d] begin a publication. *)

val step :
  Fault.rules -> State.t -> int -> State.section -> (Label.t * State.t) list
(** The next step of a publishing domain; no step while the domain waits. *)

val log : State.t -> int -> State.value -> int -> State.t
(** [log s d v level] notes a pin of the domain's leaf, with the depth of the
    join that ends the pin. *)
