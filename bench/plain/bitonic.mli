(** Batcher's bitonic sorting network (1968), for a power of two of integers. *)

val exchange : int array -> up:bool -> int -> int -> unit
(** [exchange a ~up lo half] orders each of [half] elements from [lo] on with
    the one [half] places later, the smaller first if [up]. *)

val merge : int array -> up:bool -> int -> int -> unit
(** [merge a ~up lo n] sorts [n] elements from [lo] on that are bitonic. *)

val sort : int array -> up:bool -> int -> int -> unit
