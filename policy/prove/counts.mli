(** Attributes that count, for {!Waiting}. Such an attribute bounds how often in
    a row a handler may do anything except serve the queue (or take the core).

    Three kinds count: an integer that rises, or falls, and was within a limit
    before; an integer that crosses a limit; and a boolean that flips. *)

open Dromos_policy_core.Core

type t = {
  counter : attribute;
  counted : Term.t -> Term.t -> Term.t;
      (** true where the values before and after show that the attribute has
          counted *)
  in_a_row : int;  (** the most counts in a row *)
}

val all : policy -> owner:owner -> set_in:event list -> t list
(** The counts by attributes of these owners. The attributes are set only by
    handlers of these events. Counts with the fewest in a row come first. *)

(** {1 On a path} *)

val value :
  Symbolic.t ->
  Symbolic.path ->
  Term.t ->
  t option ->
  Symbolic.path * Term.t option
(** The value of the counting attribute of that owner. *)

val counted : t option -> before:Term.t option -> after:Term.t option -> Term.t
(** False if there is no count. *)

(** {1 Text} *)

val blocks : policy -> (event option * block) list
(** The blocks of all handlers and of the interface, with their events, and
    [steal_thread], without an event. *)

val sets : block -> attribute -> bool
