(** Interning: words to small integers, and back.

    An open-addressing hash table with linear probing; words are compared byte
    by byte whatever their hashes, so that numbers and words are in bijection.
    Used by one fiber at a time; once nobody adds to it, readable by all. *)

type t

val create : int -> t
(** With room for so many words to begin with. *)

val size : t -> int
(** Words are numbered from 0, in the order in which they came. *)

val word : t -> int -> string
val hash : t -> int -> int

val intern : t -> hash:int -> Bytes.t -> int -> int -> int
(** [intern t ~hash buffer pos len] is the number of that word, a new one if it
    is new. [hash] must be a function of the word alone. *)

val intern_string : t -> hash:int -> string -> int
