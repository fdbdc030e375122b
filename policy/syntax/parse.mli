(** Makes an {!Ast.t} from text. No function raises. *)

val largest : int
(** The size of the largest policy that is read: 262,144 bytes. *)

val string : ?file:string -> string -> (Ast.t, Fault.t) result
(** Stops at the first syntax error. Linear in the text. *)

val read : string -> (string, Fault.t) result
(** The text of a file; at most {!largest} bytes and one are read. *)

val file : string -> (string * Ast.t, string * Fault.t) result
(** The result has the source, for {!Fault.to_string}; the source is [""] if the
    file cannot be read. *)
