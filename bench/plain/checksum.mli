(** Checksums by which a parallel outcome is compared with the sequential one.
    Order matters. *)

val ints : int array -> int
val floats : float array -> int
