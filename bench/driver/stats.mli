(** Order statistics of a few samples. *)

val median : float list -> float
(** The mean of the middle two if there is an even number. Raises
    [Invalid_argument] on none. *)

val least : float list -> float
val most : float list -> float
