(** How trace events lie in memory: the part of [perf.data] that has the format
    files of [/sys/kernel/tracing/events]. *)

type format

val read : string -> int -> int -> (int, format) Hashtbl.t
(** [read text from until]: by the number of the event. Raises [Failure] if the
    part is not what it should be. *)

val name : format -> string

type raw = { text : string; from : int; until : int }
(** An event: a part of a text. *)

val number : format -> string -> raw -> int
(** The field of this name. Not the sign of one of 8 bytes. Raises [Failure] if
    there is none. *)

val string : format -> string -> raw -> string
