(** The programs of measurements: the same code, linked at different places (see
    [bench/placements/place.ml]). *)

val count : int
(** The number of programs, 8. *)

val program : int -> string
(** [program placement] is the path of the program number [placement] modulo
    {!count}, in the folder [placements] ({!Beside}). *)
