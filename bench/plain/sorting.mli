(** Merge sort of integers, monomorphic. *)

val random : int -> int array

val sort : int array -> int array -> int -> int -> unit
(** [sort a tmp lo hi] sorts [a] between [lo] and [hi - 1]; [tmp] is scratch. *)

val merge : int array -> int -> int -> int -> int -> int array -> int -> unit
(** [merge src lo1 hi1 lo2 hi2 dst at] merges two sorted pieces of [src] into
    [dst] from [at] on. *)

val lower_bound : int array -> int -> int -> int -> int
(** [lower_bound a lo hi x]: the first index between [lo] and [hi] with an
    element not below [x]. *)
