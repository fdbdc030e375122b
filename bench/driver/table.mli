(** Rows as aligned text. *)

val print : Format.formatter -> Suite.t -> Suite.size -> Row.t list -> unit
(** The rows of one benchmark and size, in order. *)
