(** Effects of operands, whose order OCaml leaves open while HeapLang goes from
    right to left. *)

type effects =
  | Pure
  | Reads
      (** of plain mutable fields, which commute with each other: a program with
          a race on one is not proved safe *)
  | Effects

val effects : Typedtree.expression -> effects
(** Allocating a block, and reading what never changes, is no effect. *)

val check : Location.t -> Typedtree.expression list -> unit
(** Refuses operands of which two have effects, or one has and another reads. *)
