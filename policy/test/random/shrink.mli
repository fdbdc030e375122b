(** Finds the smallest text that still shows a fault. *)

val policy :
  ?tries:int -> ?seconds:float -> string -> (string -> bool) -> string
(** [policy text shows] removes lines, or blocks with their braces, as long as
    [shows] is true of the rest. At most [tries] (400) texts are tried, and none
    after [seconds] (60). [shows] is called with texts that may be no policy. *)
