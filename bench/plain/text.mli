(** Text: its generation, words and lines. A word is a maximal run of letters.
*)

val generate : int -> string
(** That many bytes: words whose frequencies fall off as in natural text, of 2
    to 12 letters, some ten a line. *)

val word_char : char -> bool

val starts : string -> int -> bool
(** Whether a word starts at that place. *)

type counts = { words : int; lines : int }

val counts : string -> int -> int -> counts
(** Words that start, and lines that end, between two places. *)

val join : counts -> counts -> counts

val word_end : string -> int -> int
(** The place after the word that starts there. *)
