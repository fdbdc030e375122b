(** Writing JSON, as much of it as timelines need, so that [dromos] depends on
    no library for it. *)

type t

val null : t
val int : int -> t

val float : float -> t
(** Finite; the shortest digits that read back as the same number. *)

val string : string -> t
(** UTF-8; bytes that are not are replaced. *)

val array : t list -> t
val list : ('a -> t) -> 'a list -> t
val obj : (string * t) list -> t

val later : (unit -> t) -> t
(** Made when it is written: after what is written before it. *)

val to_string : t -> string

val add_in_html : Buffer.t -> t -> unit
(** For inside a script element: no less-than sign is written as such. *)

val html_text : string -> string
(** For an element's text. *)
