(** A bar for each contestant, as a self-contained SVG file. *)

type t = {
  title : string;
  subtitle : string;
  x_label : string;
  bars : (string * float) list;  (** first to last, top to bottom *)
}

val write : string -> t -> unit
(** Raises [Sys_error]. *)
