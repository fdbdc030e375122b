(** Walks a machine at random, for properties that must hold in all states.
    Moves are steps of handlers under way, and starts of handlers: of threads,
    of [schedule] when due, and of balancing. *)

open Dromos_policy_core
open Dromos_policy_semantics

type move = Step of int | Start of Core.event * int * int

val moves : Machine.t -> Machine.state -> Core.event list -> move list
(** the possible moves, with events of these kinds *)

val pick : 'a list -> 'a
(** by the seed of the test, not of an empty list *)

val apply : Machine.t -> Machine.state -> move -> unit
(** A handler that finds no runner does not begin. *)

val describe : Machine.t -> Machine.state -> Machine.state -> move -> string
(** from the state before to the state after *)
