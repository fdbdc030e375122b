(** Places in a source file. *)

type t = Dromos_policy_core.Core.place

val nowhere : t
val of_positions : Lexing.position -> Lexing.position -> t

val after : t -> t
(** The empty place behind it. *)

val compare_starts : t -> t -> int
(** By line and column. *)

val span : t -> t -> t
(** From where the first begins to where the second ends. *)
