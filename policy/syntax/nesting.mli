(** Limits the nesting of statements. A walk over the tree needs a stack as deep
    as the nesting, and a layout as many columns. [else if] counts once. *)

val deepest : int
(** 200, the limit for brackets too. *)

val too_deep : Ast.t -> Ast.place option
(** The place of the first statement below the limit. *)
