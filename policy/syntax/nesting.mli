(** How deep statements stand in statements. What walks a tree, and its layout,
    would need as much stack and as many columns. [else if] counts once. *)

val deepest : int
(** 200, as for brackets. *)

val too_deep : Ast.t -> Ast.place option
(** The first statement that stands deeper. *)
