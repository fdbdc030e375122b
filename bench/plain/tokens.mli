(** The places of all words of a text, and the set of distinct ones. *)

type t = { first : int array; past : int array }
(** Where the words start and end. *)

val make : int -> t
(** Room for that many. *)

val fill : t -> string -> int -> int -> int -> unit
(** [fill t s lo hi at] writes the words that start between [lo] and [hi] from
    index [at] on. *)

val all : string -> t
val hash : string -> t -> int -> int

(** Sets of words, by open addressing. *)
module Set : sig
  type set

  val create : int -> set
  (** Room for that many words. *)

  val add : string -> t -> set -> int -> int -> unit
  (** [add s t set h i]: word number [i], whose hash is [h]. *)

  val length : set -> int

  val sum : set -> int
  (** Of the hashes, so that two sets of the same words agree. *)
end
