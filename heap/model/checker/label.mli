(** The name of a step, as a format and its numbers: the search makes many
    labels and shows few. *)

type t = string * int list
(** Replaces each [%] by the next number. *)

val show : t -> string

val say : string -> int list -> 'a -> (t * 'a) list
(** A list of one labelled step, for a place where only one step is possible. *)
