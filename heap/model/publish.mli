(** Publishing, one access to shared memory at a time, and what it is done for:
    a store, a fork, a switch of leaves. *)

val start : State.t -> int -> State.goal -> State.t
(** The domain begins it. *)

val step :
  Fault.rules -> State.t -> int -> State.section -> (Label.t * State.t) list
(** The next step of a domain that is in the middle of it; none while it waits.
*)

val log : State.t -> int -> State.value -> int -> State.t
(** A pin of the domain's leaf, and its depth, for the join that ends it. *)
