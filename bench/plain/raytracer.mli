(** A picture of ten spheres over a floor, by brute force: every ray is tried
    against every sphere. *)

val pixel : size:int -> int -> int
(** [pixel ~size i]: the colour of pixel [i], as 24 bits, in a square of [size]
    times [size]; pixels are numbered in rows from the top. *)
