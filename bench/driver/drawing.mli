(** The parts of drawings. Places are in pixels from the upper left corner. *)

val document :
  string -> width:float -> height:float -> (Format.formatter -> unit) -> unit
(** A white drawing of the given size. Raises [Sys_error]. *)

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
(** [anchor] is SVG's, by default ["middle"]; with [turn], the text reads
    upwards. *)

val line :
  Format.formatter -> ?stroke:string -> float -> float -> float -> float -> unit

val colour : int -> string
(** A colour of sixteen; the first colours are easiest to distinguish. *)
