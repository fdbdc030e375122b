(** What the tests of the heap variant share. Each program is run with heaps of
    ordinary size and with tiny ones, the verifier on ([DROMOS_HEAP=c,..]). *)

val must : string -> bool -> unit
(** Ends the program, naming what did not hold. *)

val garbage : int -> unit
(** Allocates so many strings, and lets go of them. *)

val repeat : int -> (unit -> unit) -> unit

val await : int Atomic.t -> int -> unit
(** Until it is that large, or larger. *)

val in_all : int -> (int -> unit -> unit) -> unit
(** [in_all n f]: [f i ()] in each of [n] domains, [i] from 0; this one is the
    first. None begins before all are there. *)

val case : string -> (unit -> unit) -> unit
(** Runs it and says that it passed. *)

val kib : string -> int
(** A figure of this process as the kernel knows it: ["VmRSS"], ["VmHWM"]. *)
