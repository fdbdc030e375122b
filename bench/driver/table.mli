(** Rows as aligned text. *)

val print : Format.formatter -> Suite.t -> Suite.size -> Row.t list -> unit
(** The rows of one benchmark and size, in order. *)

val print_disturbed : Format.formatter -> Row.t list -> unit
(** A line that counts the measurements of these rows that were disturbed;
    nothing if there were none. *)

val print_cells :
  ?last_left:bool -> Format.formatter -> left:int -> string list list -> unit
(** Lines of cells, in columns; the first [left] columns flush left, and the
    last one too if [last_left] is true (false by default). *)

val seconds : float -> string
(** As in the tables; ["-"] for [nan]. *)
