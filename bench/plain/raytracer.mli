(** A picture of ten spheres over a floor, by brute force: every ray is tried
    against every sphere. *)

val pixel : size:int -> int -> int
(** [pixel ~size i]: the colour, as 24 bits, of pixel [i], in rows from the top,
    of a square of [size] times [size]. *)
