(** A chart of several curves, as a self-contained SVG file. *)

type curve = { name : string; points : (float * float) list }

type t = {
  title : string;
  subtitle : string;
  x_label : string;
  y_label : string;
  log : bool;  (** both axes *)
  x_at_points : bool;  (** ticks at the places of the points only *)
  curves : curve list;
}

val write : string -> t -> unit
(** Raises [Sys_error]. *)
