(** Rows as aligned text. *)

val print : Format.formatter -> Suite.t -> Suite.size -> Row.t list -> unit
(** The rows of one benchmark and size, in order. *)

val print_disturbed : Format.formatter -> Row.t list -> unit
(** A line with the number of disturbed measurements of the rows, if any. *)

val print_cells :
  ?last_left:bool -> Format.formatter -> left:int -> string list list -> unit
(** Lines of cells, in columns; the first [left] columns are flush left, and
    also the last column if [last_left] is true (false by default). *)

(** {1 Cells} *)

val seconds : float -> string
(** Seconds as in the tables. Here and below, ["-"] stands for [nan]. *)

val number : int -> float -> string
(** [number digits x] has [digits] digits after the point. *)

val ratio : float -> string

val mib : int option -> string
(** KiB as MiB; ["-"] for [None]. *)
