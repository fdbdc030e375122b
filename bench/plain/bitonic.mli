(** Batcher's bitonic sorting network (1968), for a power of two of integers. *)

val exchange : int array -> up:bool -> int -> int -> unit
(** [exchange a ~up lo half] orders each of [half] elements, from [lo] on, with
    the element [half] places later, the smaller element first if [up]. *)

val merge : int array -> up:bool -> int -> int -> unit
(** [merge a ~up lo n] sorts a bitonic piece of [n] elements, from [lo] on. *)

val sort : int array -> up:bool -> int -> int -> unit
