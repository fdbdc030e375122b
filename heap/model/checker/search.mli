(** Searches all states breadth first: the trace to a broken state is as short
    as possible. *)

module type Model = sig
  type rules
  type scenario
  type state

  val initial : scenario -> state
  val next : rules -> scenario -> state -> (Label.t * state) list

  val canonical : state -> state
  (** The state without garbage, objects numbered in the order of a visit. *)

  val key : state -> string
  (** A string that identifies a canonical state. *)

  val broken : rules -> state -> string option
  (** The property that the state violates, if any. *)

  val at_rest : state -> bool
  (** True if no domain waits. *)
end

type verdict =
  | Holds
  | Broken of { what : string; trace : string list }
  | Limit  (** the search stopped at the limit of states *)

type result = { verdict : verdict; states : int; seconds : float }

module Make (M : Model) : sig
  val run : ?limit:int -> M.rules -> M.scenario -> result
end
