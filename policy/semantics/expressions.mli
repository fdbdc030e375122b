(** Expressions to code: what is pure becomes a closure, each observation an
    instruction of its own, left to right.

    Values are ints: a bool is 0 or 1, a member of an enumeration its number, a
    thread its number + 1 (none is 0), a core, group or domain its number (none
    is -1), a set its bits, a queue of a core [core * states + state] (-1 if the
    core is none). Everything is total: an attribute of none is 0 or none. *)

open Core

val compile : Scope.t -> expression -> Code.expression

val looks_at : attribute -> int list
(** The attributes that reading it looks at, as {!Code.attribute} has them:
    itself, or those that a lazy one is computed from. *)

val operands : Scope.t -> expression list -> Code.expression list
(** Left to right. *)

val steps : policy -> expression -> bool
(** Evaluating it may take steps, or change something. *)

val over :
  Scope.t ->
  among:expression ->
  order:key list ->
  (int -> int ref -> unit) ->
  unit
(** The code of a loop over a collection. The body gets the register of the
    element and the label after the loop. *)

val over_list : Scope.t -> ty -> int * int -> (int -> int ref -> unit) -> unit
(** The same over elements, + 1, in so many adjacent registers from the first
    on; 0 after the last one. *)

val map1 : (int -> int) -> Code.expression -> Code.expression

val next_of : Scope.t -> rest:int -> each:int -> unit
(** The code that moves the lowest member of the set in the register [rest],
    whose own it is, to the register [each]. *)

val key : Layout.t -> ty -> measure -> Layout.state -> int -> int
(** Of an element, given by its number. Raises [Invalid_argument] if it must be
    observed. *)

val chosen : Scope.t -> expression -> key list -> Code.expression
(** [first]. *)

val initial : Layout.t -> attribute -> Layout.state -> int -> int
(** The value with which it starts, for the owner of that number. *)

val outside : Layout.t -> Scope.t
(** For expressions that stand in no handler; it compiles no statements. *)
