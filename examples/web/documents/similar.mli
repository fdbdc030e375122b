(** How much two texts have in common, by their shingles: the sequences of four
    words of each. Plain code, which knows no scheduler. *)

type t
(** The set of a text's shingles. *)

val shingles : string -> t
(** A text of fewer than four words has none. What a word is: {!Corpus.Text}. *)

val size : t -> int

val common : t -> t -> float
(** Shingles in both over shingles in either (Jaccard), from 0 to 1; 0 if both
    have none. O(size + size), and allocates nothing. *)

val row : t array -> int -> at_least:float -> (int * float) list
(** [row texts i ~at_least] compares the text [i] with all before it: those with
    [at_least] so much in common. *)

val passage : string -> string list -> string
(** [passage text words]: the three lines of the text with the most of these
    words (in small letters). *)
