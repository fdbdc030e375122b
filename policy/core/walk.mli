(** Every expression and statement of a block, outermost first, in the order in
    which they are evaluated. Functions that are called are not entered. *)

val expression : (Core.expression -> unit) -> Core.expression -> unit

val block :
  expression:(Core.expression -> unit) ->
  statement:(Core.statement -> unit) ->
  Core.block ->
  unit

val operands : Core.expression -> Core.expression list
(** Direct ones. *)

val expressions : Core.statement -> Core.expression list
(** Of a statement itself, not of the blocks in it. *)

val updates : Core.expression -> bool
(** A function that is called in it may set attributes or move threads. *)

val in_order : Core.expression list -> bool
(** Whether it shows that operands are evaluated from left to right: there are
    several, and one {!updates}. *)
