(** The naive doubly recursive function, a measure of work: the number of calls
    grows with the function's value. *)

val fib : int -> int

val forks : int -> int
(** The number of calls with two recursive calls in [fib n]: the number of forks
    of the parallel version without a cut-off. *)
