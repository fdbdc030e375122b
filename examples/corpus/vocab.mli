(** Interning: words to small integers, and back.

    An open-addressing hash table with linear probing. Words are always compared
    byte by byte, so numbers and words are in bijection. One fiber at a time may
    use the table; after the last addition, all fibers may read it. *)

type t

val create : int -> t
(** An empty table with initial room for the given number of words. *)

val size : t -> int
(** Words are numbered from 0, in the order of arrival. *)

val word : t -> int -> string
val hash : t -> int -> int

val intern : t -> hash:int -> Bytes.t -> int -> int -> int
(** [intern t ~hash buffer pos len] is the number of the word; a new word gets a
    new number. [hash] must be a function of the word alone. *)

val intern_string : t -> hash:int -> string -> int
