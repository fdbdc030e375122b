(** The layout of trace events in memory: the part of [perf.data] with the
    format files of [/sys/kernel/tracing/events]. *)

type format

val read : string -> int -> int -> (int, format) Hashtbl.t
(** [read text from until] gives the formats by the number of the event. Raises
    [Failure] if the part is not as expected. *)

val name : format -> string

type raw = { text : string; from : int; until : int }
(** An event: a part of a text. *)

val number : format -> string -> raw -> int
(** The value of the field of this name. A field of 8 bytes loses its highest
    bit. Raises [Failure] if there is no such field. *)

val string : format -> string -> raw -> string
