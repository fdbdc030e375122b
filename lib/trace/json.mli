(** A writer of JSON, with the few functions that timelines need, so that
    [dromos] depends on no library for JSON. *)

type t

val null : t
val int : int -> t

val float : float -> t
(** A finite number, with the fewest digits that read back as the same number.
*)

val string : string -> t
(** A string in UTF-8; invalid bytes are replaced. *)

val array : t list -> t
val list : ('a -> t) -> 'a list -> t
val obj : (string * t) list -> t

val later : (unit -> t) -> t
(** [later f] calls [f] when the value is written, after the values before it.
*)

val to_string : t -> string

val add_in_html : Buffer.t -> t -> unit
(** Writes a value for a script element of a page: every less-than sign is
    escaped. *)

val html_text : string -> string
(** Escapes the text of an element. *)
