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

(** {1 Over several texts}

    The texts have lexicons of their own; [number] gives each word the number
    that all agree on. *)

type counted = {
  grams : Ints.t;  (** [n] numbers for each n-gram *)
  counts : int array;
}

val counts :
  Progress.t ->
  Ints.t ->
  n:int ->
  parts:int ->
  number:(int -> int) ->
  counted array array
(** Every n-gram of a text once, by part: equal n-grams are in the same part,
    whatever the text. In parallel. *)

type merged
(** A part of all texts. *)

val merge : n:int -> counted array -> merged

val greatest : top:int -> merged -> int list
(** The greatest counts, zeros among them if there are too few. *)

val at_least : count:int -> merged -> (int array * int) list
(** The n-grams of at least that count, as numbers. *)

val of_merged : top:int -> merged -> (string * int) list -> t
(** With the most frequent ones among these. *)

val join : top:int -> t -> t -> t
(** Of n-grams that are all different. *)

val parallel : Progress.t -> Lexicon.t -> Ints.t -> n:int -> top:int -> t
val sequential : Progress.t -> Lexicon.t -> Ints.t -> n:int -> top:int -> t
