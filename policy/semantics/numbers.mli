(** The numbers of cores as text: neighbours become a range. *)

val show : int list -> string
(** "0, 1, 4 to 31" for rising numbers: three or more in a row become a range.
*)

val runs : next:('a -> 'a -> bool) -> 'a list -> 'a list list
(** Cuts the list at each element that is not [next] to the one before. Not
    tail-recursive; linear. *)
