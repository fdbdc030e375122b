(** What a step is called: made often, shown seldom. *)

type t = string * int list
(** Each [%] stands for the next number. *)

val show : t -> string

val say : string -> int list -> 'a -> (t * 'a) list
(** The one thing that can happen. *)
