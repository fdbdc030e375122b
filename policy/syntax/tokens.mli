(** How the tokens of the language are written. *)

val keywords : (string * Parser.token) list
val punctuation : (string * Parser.token) list

val unsupported : string list
(** Words of C that many would try: loops without a bound and jumps. *)

val text : Parser.token -> string
(** As in a message: the source text, or [a name], [a number]. *)
