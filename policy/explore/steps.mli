(** The steps of a run, for people. *)

type t = {
  core : int;  (** the core of the handler *)
  runner : int;
  text : string;
  after : Machine.state;
}

val play : Instance.t -> Machine.state -> Instance.move -> t list
(** Makes the move, in place; returns its steps, in order. A large machine takes
    thousands of steps that change nothing but locks. In a quiet instance, a row
    of such steps becomes a single step: "core 0: balancing for cores 0 to 59
    looks around in 11148 steps". Linear in steps, with a copy of the state for
    each step; a quiet instance keeps a copy for each change. *)
