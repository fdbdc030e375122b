(** The bound of the fibers of one worker that wait preempted by force
    ({!Preempt}): each keeps a systhread. Internal; for programs it is
    documented at [most] of [Sched.Preemption]. *)

val get : unit -> int
(** The last {!set}, or [DROMOS_PREEMPTED], or 10,000. Raises [Invalid_argument]
    if the variable is no number. *)

val set : int -> unit
(** From anywhere. Raises [Invalid_argument] if the number is negative. *)

val refused : Fiber.worker -> string -> unit
(** A quantum of the worker is over, and its fiber is not preempted, for the
    given reason: counts, and prints a message once for each bound. *)
