(** Compiles expressions. A pure expression becomes a closure; each observation
    becomes an instruction, from left to right.

    Values are ints. A bool is 0 or 1; a member of an enumeration is its number;
    a thread is its number + 1 (none is 0); a core, group or domain is its
    number (none is -1); a set is its bits; a queue of a core is
    [core * states + state] (-1 if the core is none). All operations are total:
    an attribute of none reads as its initial value. *)

open Core

val compile : Scope.t -> expression -> Code.expression

val looks_at : attribute -> int list
(** The attributes read by a read of this attribute, as in {!Frame.attribute}:
    the attribute itself, or the attributes in the expression of a lazy
    attribute. *)

val operands : Scope.t -> expression list -> Code.expression list
(** Compiles the operands from left to right. *)

val steps : policy -> expression -> bool
(** True if an evaluation may take steps or change the state. *)

val over :
  Scope.t ->
  among:expression ->
  order:key list ->
  (int -> int ref -> unit) ->
  unit
(** The code of a loop over a collection. The body gets the register of the
    element and the label after the loop. *)

val over_list : Scope.t -> ty -> int * int -> (int -> int ref -> unit) -> unit
(** A loop over elements in adjacent registers; the pair is the first register
    and the number of registers. An element is stored + 1; 0 follows the last
    one. *)

val map1 : (int -> int) -> Code.expression -> Code.expression

val next_of : Scope.t -> rest:int -> each:int -> unit
(** Code that moves the lowest member of a set from the register [rest] to the
    register [each]. No other register may hold the set. *)

val key : Layout.t -> ty -> measure -> Layout.state -> int -> int
(** The value of an order's key for the element with this number. Raises
    [Invalid_argument] for a key that must be observed. *)

val chosen : Scope.t -> expression -> key list -> Code.expression
(** Compiles [first]. *)

val initial : Layout.t -> attribute -> Layout.state -> int -> int
(** The initial value of the attribute, for the owner with this number. *)

val outside : Layout.t -> Scope.t
(** The scope of expressions outside of handlers; it compiles no statements. *)
