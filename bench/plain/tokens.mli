(** The places of all words of a text, and the set of distinct words. *)

type t = { first : int array; past : int array }
(** The places where the words start and end. *)

val make : int -> t
(** Room for the given number of words. *)

val fill : t -> string -> int -> int -> int -> unit
(** [fill t s lo hi at] writes the words that start between [lo] and [hi] from
    index [at] on. *)

val all : string -> t
val hash : string -> t -> int -> int

(** Sets of words, by open addressing. *)
module Set : sig
  type set

  val create : int -> set
  (** Room for the given number of words. *)

  val add : string -> t -> set -> int -> int -> unit
  (** [add s t set h i] adds word number [i], with hash [h]. *)

  val length : set -> int

  val sum : set -> int
  (** The sum of the hashes: sets of the same words have equal sums. *)
end
