(** How a policy is laid out: two spaces, 80 columns, one statement a line.

    [Parse.string (format ast)] is [ast] but for places, and formatting again
    changes nothing. Comments are kept: one on the line of a statement stays
    behind it, others stand on their own lines before what they stood before.
    One empty line is kept where there were some, none is added. *)

val format : Ast.t -> string

val expression : Ast.exp -> string
(** On one line, with no more parentheses than needed. *)
