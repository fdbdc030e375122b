(** The similarity of two texts, by their shingles: the sequences of four words
    in each text. Plain code without a scheduler. *)

type t
(** The set of a text's shingles. *)

val shingles : string -> t
(** The shingles of a text; none for a text of fewer than four words.
    {!Corpus.Text} defines words. *)

val size : t -> int

val common : t -> t -> float
(** The number of common shingles, divided by the number of shingles in either
    text (Jaccard), from 0 to 1; 0 if both texts have no shingles. O(size +
    size), without allocation. *)

val row : t array -> int -> at_least:float -> (int * float) list
(** [row texts i ~at_least] compares the text [i] with all texts before it, and
    returns the texts with a similarity of [at_least] or more. *)

(** {1 Passages} *)

val opening : string

val closing : string
(** The marks around found words: characters that Unicode keeps for the inside
    of programs. *)

val passage : string -> string
(** The three lines of a marked text with the most different marked words,
    without the marks; the first three lines if nothing is marked. *)
