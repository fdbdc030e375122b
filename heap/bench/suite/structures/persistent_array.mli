(** Persistent arrays: every [set] makes a new version, and all of them can go
    on being read and changed, by any number of tasks.

    Versions after H. G. Baker, Shallow binding makes functional arrays fast,
    1991, made safe for tasks without locks by A. Kumar, G. E. Blelloch and R.
    Harper, Parallel functional arrays, POPL 2017: the newest version of a line
    costs what an array costs, older ones a logarithm more. *)

type 'a t

val make : int -> 'a -> 'a t
val init : int -> (int -> 'a) -> 'a t
val length : 'a t -> int

val get : 'a t -> int -> 'a
(** Constant time for the newest version of a line; for others logarithmic in
    the number of later changes of that element. *)

val set : 'a t -> int -> 'a -> 'a t
(** Constant time (amortised, over [length] changes) for the newest version of a
    line; from another one a new line starts, by a copy. *)
