(** SQLite, as {!Store} uses it. Every call blocks its thread, and raises
    [Failure] with SQLite's message. *)

type t
(** A connection. *)

type value

val open_ : string -> t
val close : t -> unit

val patience : t -> unit
(** From now on a statement waits for other connections, ten seconds at most. *)

val run : t -> string -> unit

val query : t -> string -> value list -> (value array -> 'a) -> 'a list
(** [query db sql values f] is [f] of each row, in order. *)

val change : t -> string -> value list -> unit
(** A statement without rows. *)

val number : t -> string -> int
(** The first column of the first row, or 0. *)

val last_row : t -> int
(** The number of the row that this connection has inserted last. *)

val transaction : t -> (unit -> 'a) -> 'a
(** All changes of the function, or none: none if the function raises, or if the
    end of the transaction fails. *)

(** {1 Values} *)

val null : value
val int : int -> value
val float : float -> value
val text : string -> value
val is_null : value -> bool
val to_int : value -> int
val to_float : value -> float
val to_string : value -> string
