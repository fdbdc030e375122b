(** Attributes that count in {!Waiting}: a handler may act otherwise only so
    often in a row.

    An integer rises, or falls, and did not stand past a limit before; or an
    integer crosses the limit; or a truth value flips. *)

open Dromos_policy_core.Core

type t = {
  counter : attribute;
  counted : Term.t -> Term.t -> Term.t;
      (** the values before and after show that the attribute has counted *)
  in_a_row : int;  (** the most counts in a row *)
}

val all : policy -> owner:owner -> set_in:event list -> t list
(** Attributes of such owners that only handlers of these events set. Counts
    with the fewest in a row come first. *)

(** {1 On a path} *)

val value :
  Symbolic.t ->
  Symbolic.path ->
  Term.t ->
  t option ->
  Symbolic.path * Term.t option
(** The value of the attribute of that owner. *)

val counted : t option -> before:Term.t option -> after:Term.t option -> Term.t
(** False without a count. *)

(** {1 Text} *)

val blocks : policy -> (event option * block) list
(** The blocks of all handlers and of the interface, and [steal_thread], which
    has no event. *)

val sets : block -> attribute -> bool
