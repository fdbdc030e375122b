(** The largest number of fibers of a worker that wait after a forced preemption
    ({!Preempt}); each keeps a systhread. Internal; [most] of [Sched.Preemption]
    documents the bound for programs. *)

val get : unit -> int
(** The last {!set}, or [DROMOS_PREEMPTED], or 10,000. Raises [Invalid_argument]
    if the variable is no number. *)

val set : int -> unit
(** Any thread may call [set]. Raises [Invalid_argument] if the number is
    negative. *)

val refused : Types.worker -> string -> unit
(** A quantum of the worker is over, and its fiber is not preempted, for the
    given reason: counts the case, and prints a message once for each bound. *)
