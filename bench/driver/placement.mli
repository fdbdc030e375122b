(** The programs in which measurements run: the same code, linked at different
    places (see [bench/placements/place.ml]). *)

val count : int
(** How many there are; 8. *)

val program : int -> string
(** [program placement] is the path of the program for the placement, modulo
    {!count}: beside the program that calls it, in [placements]. *)
