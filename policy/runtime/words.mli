(** A policy's words for a thread, kept in [attrs] of the kernel task.

    The first words belong to the machine, the rest are the policy's attributes,
    by number. A fiber keeps its array over all its tasks, so the array also
    identifies the thread. Words are written by the holder of the lock of the
    thread's core, or by the holder of the thread. An attribute of the system
    ({!set_own}) is written by the running thread itself: a concurrent reader,
    which places or steals other threads, sees the old value or the new. *)

module Hub = Dromos_hub.Hub

type 'ctx thread = 'ctx Hub.task

type policy = private int
(** The policy to which an array of words belongs. *)

val policy : unit -> policy
(** A new policy. *)

val begin_well : policy -> int array -> bool
(** True for the words of a new thread, in no state, as compiled policies write
    them: first the machine's own words (the policy, {!nowhere}, -1, 0, 0, 0,
    0), then the initial values of the policy's attributes. *)

val there : 'ctx thread -> bool
(** True if the thread has words. *)

val same : 'ctx thread -> 'ctx thread -> bool

val nowhere : int
(** The state of a thread that is in no queue and does not run. *)

val state : 'ctx thread -> int
val set_state : 'ctx thread -> int -> unit

val core : 'ctx thread -> int
(** The core; -1 before the first state. *)

val set_core : 'ctx thread -> int -> unit

val load : 'ctx thread -> int
(** The load counted for the thread. *)

val set_load : 'ctx thread -> int -> unit
val get : 'ctx thread -> int -> int
val set : 'ctx thread -> int -> int -> unit

(** {1 Leaving the policy} *)

val leaves : policy -> string -> unit
(** The calling fiber asks to leave. Raises the exceptions of {!set_own}. *)

val wants_to_leave : 'ctx thread -> unit
(** The same as {!leaves}, called by the holder of the thread. *)

val leaving : 'ctx thread -> bool
(** True if the thread has asked to leave and has not left yet. *)

val left : 'ctx thread -> unit
val is_away : 'ctx thread -> bool
val back : 'ctx thread -> unit

(** {1 Attributes of the system} *)

val tick : int
(** The unit of time of attributes, in nanoseconds: 10 ms, the default quantum
    of [Dromos.run]. *)

val now : unit -> int
(** The time in nanoseconds. *)

val falls_asleep : 'ctx thread -> unit

val wakes : 'ctx thread -> int -> unit
(** [wakes t k] sets attribute [k] to the whole ticks since [t] fell asleep; the
    rest counts the next time. *)

val set_own : policy -> string -> int -> int -> unit
(** [set_own policy name k v] sets attribute [k] of the calling fiber. Raises
    [Invalid_argument], with [name], if the fiber's run has another hub. Raises
    [Dromos.Misplaced] outside of a run. *)
