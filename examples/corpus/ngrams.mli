(** The most frequent sequences of [n] words.

    An n-gram never crosses the end of a file. Counting is exact: hashes only
    say where to look, the word numbers themselves are compared.

    In parallel: a radix partition by hash, then one table per partition, so
    that no table is shared or merged and every table fits a cache. In sequence:
    one table. Both O(words). *)

type t = {
  total : int;  (** n-grams in the text *)
  distinct : int;
  top : (string * int) list;
      (** the most frequent ones, with their counts; ties in the order of their
          words *)
}

val take : int -> 'a list -> 'a list
(** So many from the front, or all. *)

val counts :
  Progress.t ->
  Lexicon.t ->
  Ints.t ->
  n:int ->
  parts:int ->
  (string * int) array array
(** Every n-gram once, with its count; the same n-gram is in the same part,
    whatever the text. In parallel. *)

val of_counts : (string * int) array array -> top:int -> t
(** Of counts of several texts, where an n-gram may be in each. *)

val join : top:int -> t -> t -> t
(** Of n-grams that are all different. *)

val parallel : Progress.t -> Lexicon.t -> Ints.t -> n:int -> top:int -> t
val sequential : Progress.t -> Lexicon.t -> Ints.t -> n:int -> top:int -> t
