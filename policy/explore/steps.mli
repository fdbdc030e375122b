(** The steps of a run, for people. *)

type t = {
  core : int;  (** on which the handler runs *)
  runner : int;
  text : string;
  after : Machine.state;
}

val play : Instance.t -> Machine.state -> Instance.move -> t list
(** Makes the move, in place; the steps of the move, in order. In a quiet
    instance steps in a row that change nothing but locks become a single step,
    "core 0: balancing for cores 0 to 59 looks around in 11148 steps": a large
    machine takes thousands of them. Linear in steps, with a copy of the state
    for each step; a quiet instance keeps a copy for each change. *)
