(** Walks over the expressions and statements of a block, outermost first, in
    the order of evaluation. Called functions are not entered. *)

val expression : (Core.expression -> unit) -> Core.expression -> unit

val block :
  expression:(Core.expression -> unit) ->
  statement:(Core.statement -> unit) ->
  Core.block ->
  unit

val operands : Core.expression -> Core.expression list
(** The direct operands. *)

val expressions : Core.statement -> Core.expression list
(** The expressions of the statement itself, without the blocks in it. *)

val updates : Core.expression -> bool
(** True if the expression calls a function that may set attributes or move
    threads. *)

val in_order : Core.expression list -> bool
(** True if the order of evaluation of the operands, from left to right, can
    make a difference: there are several operands, and one {!updates}. *)
