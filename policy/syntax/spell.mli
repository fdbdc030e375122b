(** The nearest of some names to one that is unknown. *)

val distance : string -> string -> int
(** Insertions, deletions, substitutions and swaps of neighbours (optimal string
    alignment). Time and space by the product of the lengths. *)

val nearest : string -> string list -> string option
(** The first of the nearest, if it is near: a third of the length, at most 3,
    apart, with a letter in common, or different in case alone. Nothing for
    names over 64 bytes. *)
