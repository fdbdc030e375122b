(** Statistics of a few samples, and groups. *)

val median : float list -> float
(** The mean of the middle two for an even number of samples. Raises
    [Invalid_argument] for an empty list. *)

val least : float list -> float
val most : float list -> float

val geomean : float list -> float
(** The geometric mean; [nan] for an empty list. *)

type line = { slope : float; at_zero : float; explained : float }
(** [explained] is the coefficient of determination, R{^ 2}. *)

val fit : (float * float) list -> line
(** The line of least squares; [nan]s for fewer than two points. *)

val distinct : ('a -> 'k) -> 'a list -> 'k list
(** The distinct keys, in the order of their first elements. Quadratic. *)

val grouped : ('a -> 'k) -> 'a list -> ('k * 'a list) list
(** [grouped key l]: the elements of [l] by key; the keys in the order of their
    first elements, the elements of a key in the order of [l]. Quadratic. *)
