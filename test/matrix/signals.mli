(** Scenarios for events that happen once, and that reach all waiters, early or
    late: promises, ivars, latches. *)

exception Boom of int

type t = {
  wait : int Step.op;
  wait_for : (float -> int option Step.op) option;
  fire : int -> unit Step.t;  (** does not wait *)
  fail : (int -> unit Step.t) option;  (** with {!Boom} *)
}

type kind = { make : unit -> t; valued : bool }

val scenarios : kind -> (string * (Env.t -> unit)) list
