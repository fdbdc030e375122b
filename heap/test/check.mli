(** What the tests of the heap variant share. Each program is run with heaps of
    ordinary size and with tiny ones, the verifier on ([DROMOS_HEAP=c,..]). *)

val must : string -> bool -> unit
(** Ends the program, naming what did not hold. *)

val garbage : int -> unit
(** Allocates so many strings, and lets go of them. *)

val case : string -> (unit -> unit) -> unit
(** Runs it and says that it passed. *)
