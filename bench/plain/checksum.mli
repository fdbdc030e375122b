(** Checksums that compare a parallel outcome with the sequential one. Order
    matters. *)

val ints : int array -> int
val floats : float array -> int
