type t = { top : int Atomic.t; size : int }

val size : t -> int
