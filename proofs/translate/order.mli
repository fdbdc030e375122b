(** Effects of operands. OCaml leaves the order of operands open, and HeapLang
    evaluates operands from right to left. *)

type effects =
  | Pure
  | Reads
      (** reads of plain mutable fields. Reads commute: a program with a race on
          a field is not proved safe. *)
  | Effects

val effects : Typedtree.expression -> effects
(** The effects of an expression. Allocating a block counts as no effect, and
    neither does a read of an immutable field. *)

val check : Location.t -> Typedtree.expression list -> unit
(** Refuses the operands if two have effects, or if one has effects and another
    reads. *)
