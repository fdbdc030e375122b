(** Occurrences of n-grams in a text of word numbers, and tables that count
    them; for {!Ngrams}. *)

val hash : Ints.t -> int -> int -> int
(** [hash text position n]: of the [n] words from the position. *)

val occurrence : int -> int -> int
(** [occurrence hash position]: one integer, with 31 bits of the hash. *)

val tag_of : int -> int
(** The bits of the hash. *)

val position_of : int -> int

val iter : Ints.t -> int -> int -> int -> (int -> unit) -> unit
(** [iter text n from until f] calls [f] with every occurrence that starts in
    [from .. until - 1], and that crosses no end of a file. *)

(** Hash tables. The first occurrence of an n-gram is the key. One fiber at a
    time may add. *)
module Table : sig
  type t

  val power_of_two : int -> int -> int
  (** [power_of_two n k]: [k], doubled until it is at least [n]. *)

  val create : int -> t
  (** With room for the given number of n-grams. *)

  val add : t -> Ints.t -> int -> int -> int -> unit
  (** [add t text n occurrence count] *)

  val size : t -> int
  (** The number of different n-grams. *)

  val iter : (int -> int -> unit) -> t -> unit
  (** [iter f t] calls [f occurrence count] for each n-gram. *)
end
