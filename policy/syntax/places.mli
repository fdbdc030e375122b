(** Places in a source file. *)

type t = Dromos_policy_core.Core.place

val nowhere : t
val of_positions : Lexing.position -> Lexing.position -> t

val after : t -> t
(** The empty place behind the given place. *)

val compare_starts : t -> t -> int
(** Compares the starts, by line and column. *)

val span : t -> t -> t
(** The place from the start of the first place to the end of the second. *)
