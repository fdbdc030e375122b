(** Text: its generation, words and lines. A word is a maximal run of letters.
*)

val generate : int -> string
(** A text of the given number of bytes: words of 2 to 12 letters, some ten a
    line, with frequencies as in natural text. *)

val word_char : char -> bool

val starts : string -> int -> bool
(** True if a word starts at the given place. *)

type counts = { words : int; lines : int }

val counts : string -> int -> int -> counts
(** Words that start, and lines that end, between two places. *)

val join : counts -> counts -> counts

val word_end : string -> int -> int
(** The place after the word that starts at the given place. *)
