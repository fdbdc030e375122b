(** Shared code of the heap variant's tests. Each program runs with ordinary
    heaps, and with tiny heaps under the verifier ([DROMOS_HEAP=c,..]). *)

val must : string -> bool -> unit
(** Ends the program with the name of the failed check if the condition is
    false. *)

val garbage : int -> unit
(** Allocates [n] strings and drops them. *)

val repeat : int -> (unit -> unit) -> unit

val await : int Atomic.t -> int -> unit
(** Waits until the value is at least [n]. *)

val in_all : int -> (int -> unit -> unit) -> unit
(** [in_all n f] runs [f i ()] in each of [n] domains, with [i] from 0; the
    calling domain has number 0. All domains wait until the last one has
    arrived. *)

val case : string -> (unit -> unit) -> unit
(** Runs the case and prints that it passed. *)

val kib : string -> int
(** A figure of this process in the kernel's view: ["VmRSS"], ["VmHWM"]. *)
