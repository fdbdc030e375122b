(** Persistent arrays: every [set] makes a new version, and any number of tasks
    can read and change all versions.

    Versions follow H. G. Baker, Shallow binding makes functional arrays fast,
    1991, made safe for tasks without locks by A. Kumar, G. E. Blelloch and R.
    Harper, Parallel functional arrays, POPL 2017. The newest version of a line
    costs as much as an array, older versions a logarithmic factor more. *)

type 'a t

val make : int -> 'a -> 'a t
val init : int -> (int -> 'a) -> 'a t
val length : 'a t -> int

val get : 'a t -> int -> 'a
(** Constant time for the newest version of a line. For an older version,
    logarithmic time in the number of later changes of the element. *)

val set : 'a t -> int -> 'a -> 'a t
(** Constant time (amortised, over [length] changes) for the newest version of a
    line. For an older version, a copy starts a new line. *)
