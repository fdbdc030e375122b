(** What other programs do meanwhile. *)

val cores : int

type mark

val mark : unit -> mark

val others : mark -> float
(** How many cores other programs, and the machine's host, have used since, on
    average; processes that have ended and been waited for, and this one, do not
    count. 0 where there is no [/proc/stat]. Its clock ticks a hundred times a
    second, so that little can be said of less than a tenth. *)
