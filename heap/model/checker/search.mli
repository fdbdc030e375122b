(** All states, breadth first: so traces are as short as can be. *)

module type Model = sig
  type rules
  type scenario
  type state

  val initial : scenario -> state
  val next : rules -> scenario -> state -> (Label.t * state) list

  val canonical : state -> state
  (** Without garbage, objects numbered as they are met. *)

  val key : state -> string
  (** Of a canonical state. *)

  val broken : rules -> state -> string option
  (** What should hold, and does not. *)

  val at_rest : state -> bool
  (** Nobody waits for something. *)
end

type verdict =
  | Holds
  | Broken of { what : string; trace : string list }
  | Limit  (** there are more states than that *)

type result = { verdict : verdict; states : int; seconds : float }

module Make (M : Model) : sig
  val run : ?limit:int -> M.rules -> M.scenario -> result
end
