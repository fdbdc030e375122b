(** From text to {!Ast.t}. Nothing here raises. *)

val largest : int
(** Bytes of the largest policy that is read: 262,144. *)

val string : ?file:string -> string -> (Ast.t, Fault.t) result
(** Stops at the first syntax error. Linear in the text. *)

val read : string -> (string, Fault.t) result
(** The text of a file; no more than {!largest} of it is ever read. *)

val file : string -> (string * Ast.t, string * Fault.t) result
(** With the source, for {!Fault.to_string}; what cannot be read has [""]. *)
