(** The least text that still shows a fault. *)

val policy :
  ?tries:int -> ?seconds:float -> string -> (string -> bool) -> string
(** [policy text shows] leaves out a line, or a block with its braces, as long
    as [shows] says [true] of what is left: at most [tries] (400) questions, and
    no other after [seconds] (60). [shows] is asked of texts that may be no
    policy. *)
