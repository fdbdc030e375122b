(** The most frequent sequences of [n] words.

    An n-gram never crosses the end of a file. Counting is exact: hashes find
    the table entry, and word numbers are compared.

    {!parallel} partitions the n-grams by hash, then fills one table for each
    partition: no table is shared or merged, and every table fits a cache.
    {!sequential} fills one table. Both are O(words). *)

type t = {
  total : int;  (** n-grams in the text *)
  distinct : int;
  top : (string * int) list;
      (** the most frequent n-grams with counts; equal counts are ordered by
          words *)
}

val take : int -> 'a list -> 'a list
(** [take n list]: the first [n] elements, or all elements. *)

(** {1 Over several texts}

    Each text has a lexicon. [number] maps a word of the lexicon to the word's
    number in all texts. *)

type counted = {
  grams : Ints.t;  (** [n] numbers for each n-gram *)
  counts : int array;
}

val counts :
  Loops.t ->
  Progress.t ->
  Ints.t ->
  n:int ->
  parts:int ->
  number:(int -> int) ->
  counted array array
(** Every n-gram of a text once, by part. Equal n-grams of different texts are
    in the same part. Runs in parallel. *)

type merged
(** One part, of all texts. *)

val merge : n:int -> counted array -> merged

val greatest : top:int -> merged -> int list
(** The [top] greatest counts, or all if there are fewer. *)

val at_least : count:int -> merged -> (int array * int) list
(** The n-grams that occur at least [count] times, as word numbers. *)

val of_merged : top:int -> merged -> (string * int) list -> t
(** The result for one part, whose most frequent n-grams are in the list. *)

val join : top:int -> t -> t -> t
(** Joins results without a common n-gram. *)

val parallel :
  Loops.t -> Progress.t -> Lexicon.t -> Ints.t -> n:int -> top:int -> t

val sequential : Progress.t -> Lexicon.t -> Ints.t -> n:int -> top:int -> t
