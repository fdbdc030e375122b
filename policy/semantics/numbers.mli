(** Cores by their numbers, for people: neighbours are said together. *)

val show : int list -> string
(** "0, 1, 4 to 31" of numbers that rise: three or more in a row are a range. *)

val runs : next:('a -> 'a -> bool) -> 'a list -> 'a list list
(** The list, cut wherever an element is not [next] to the one before. Not
    tail-recursive; linear. *)
