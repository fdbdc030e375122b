(** Reproducible data: a hash of the index. Every piece of an input can be made
    alone, and is the same in every process. *)

val hash : int -> int
(** A non-negative mix of all the bits (the finaliser of SplitMix64, cut to
    OCaml's integers). *)

val below : int -> int -> int
(** [below bound i] is in [0 .. bound - 1]. *)
