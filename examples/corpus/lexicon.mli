(** A numbering of words for the whole corpus.

    Words are split over 64 partitions by their hash. A fiber merges each
    partition, so that no table is shared while it is written. *)

type t

val size : t -> int
(** Number of distinct words. *)

val word : t -> int -> string

val parallel : Loops.t -> Scan.piece array -> files:int array -> t * Ints.t
(** The lexicon, and the words of all files as numbers, with a {!gap} after
    every file. [files] holds the number of words of every text file, in order.
*)

val sequential : Scan.piece array -> files:int array -> t * Ints.t
(** The lexicon of a single piece is the piece's own vocabulary. *)

val gap : int
(** The separator between two files: not the number of a word. *)
