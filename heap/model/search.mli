(** All states, breadth first: so traces are as short as can be. *)

type verdict =
  | Holds
  | Broken of { what : string; trace : string list }
  | Limit  (** there are more states than that *)

type result = { verdict : verdict; states : int; seconds : float }

val run : ?limit:int -> Fault.rules -> Scenario.t -> result
