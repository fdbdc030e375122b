(** The layout of a policy: two spaces, 80 columns, one statement a line.

    [Parse.string (format ast)] is [ast] except for places, and formatting again
    changes nothing. Comments are kept: a comment on the line of a statement
    stays behind the statement, and any other comment stands on a line of its
    own, before the same part as in the source. Empty lines in a row become one,
    and no empty line is added. *)

val format : Ast.t -> string

val expression : Ast.exp -> string
(** The expression on one line, with the parentheses that are needed. *)
