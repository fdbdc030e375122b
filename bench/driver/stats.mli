(** Order statistics of a few samples. *)

val median : float list -> float
(** The mean of the middle two for an even number of samples. Raises
    [Invalid_argument] for an empty list. *)

val least : float list -> float
val most : float list -> float

val grouped : ('a -> 'k) -> 'a list -> ('k * 'a list) list
(** [grouped key l]: the elements of [l] by key; the keys in the order of their
    first elements, the elements of a key in the order of [l]. Quadratic. *)
