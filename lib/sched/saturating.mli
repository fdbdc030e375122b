(** Integer arithmetic that stops at [min_int] and [max_int] instead of wrapping
    around: for ranks computed from the program's numbers. Internal. O(1), no
    allocation. *)

val sub : int -> int -> int
val mul : int -> int -> int

val positive : call:string -> string -> int -> unit
(** [positive ~call "places" n] raises [Invalid_argument] unless [n] is 1 or
    more. *)
