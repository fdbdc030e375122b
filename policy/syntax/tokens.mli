(** The spelling of the language's tokens. *)

val keywords : (string * Parser.token) list
val punctuation : (string * Parser.token) list

val unsupported : string list
(** Words of C that many users would try: unbounded loops and jumps. *)

val text : Parser.token -> string
(** The token in a message: the source text, or [a name], [a number]. *)
