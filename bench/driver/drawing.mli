(** What drawings are made of. Places in pixels from the upper left corner. *)

val document :
  string -> width:float -> height:float -> (Format.formatter -> unit) -> unit
(** A file of that size, white. Raises [Sys_error]. *)

val text :
  Format.formatter ->
  ?anchor:string ->
  ?size:int ->
  ?weight:string ->
  ?turn:bool ->
  float ->
  float ->
  string ->
  unit
(** [anchor] is SVG's, ["middle"] if not given; [turn] makes it read upwards. *)

val line :
  Format.formatter -> ?stroke:string -> float -> float -> float -> float -> unit

val colour : int -> string
(** One of sixteen, the first ones easiest to tell apart. *)
