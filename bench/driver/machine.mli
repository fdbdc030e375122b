(** The activity of other programs during a measurement. *)

val cores : int

type mark

val mark : unit -> mark

val others : mark -> float
(** The number of cores used since [mark], on average, by other programs and the
    machine's host. This process does not count, and processes that have ended
    and been waited for do not either. 0 where there is no [/proc/stat]. The
    clock of [/proc/stat] ticks a hundred times a second, so the result is
    inexact for less than a tenth of a second. *)
