(** The steps of a run, for people. *)

type t = {
  core : int;  (** on which the handler runs *)
  runner : int;
  text : string;
  after : Machine.state;
}

val play : Instance.t -> Machine.state -> Instance.move -> t list
(** Makes the move, in place; its steps, the first one first. Of an instance
    that is quiet, what follows each other and changes nothing but locks is one
    of them, "core 0: balancing for cores 0 to 59 looks around in 11148 steps":
    large machines take thousands. Linear in steps, each with a copy of the
    state; of a quiet one no more copies are kept than changes. *)
