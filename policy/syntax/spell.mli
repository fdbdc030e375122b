(** Finds the name nearest to an unknown name. *)

val distance : string -> string -> int
(** The number of insertions, deletions, substitutions and swaps of neighbours
    (optimal string alignment). Time and space grow with the product of the
    lengths. *)

val nearest : string -> string list -> string option
(** The first of the nearest names, if it is near: the distance is at most a
    third of the length, at most 3, and less than the length; a difference in
    case alone is always near. None for names over 64 bytes. *)
