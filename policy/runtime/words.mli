(** What a policy notes of a thread: the words of the kernel task's [attrs].

    The first few are the machine's own, the rest the policy's attributes, by
    number. A fiber keeps its array over all its tasks, so it is also what tells
    threads apart. Words are written by whoever holds the lock of the thread's
    core, or the thread; those that the system sets ({!set_own}) by the running
    thread itself: whoever reads them meanwhile, to place or steal others, sees
    the old value or the new. *)

module Hub = Dromos_hub.Hub

type 'ctx thread = 'ctx Hub.task

type policy = private int
(** Which policy's words an array holds. *)

val policy : unit -> policy
(** A new one. *)

val begin_well : policy -> int array -> bool
(** The words of a new thread, in no state, as compiled policies write them out:
    first the machine's own (the policy, {!nowhere}, -1, 0, 0, 0, 0), then the
    initial values of the policy's attributes. *)

val there : 'ctx thread -> bool
(** The thread has words. *)

val same : 'ctx thread -> 'ctx thread -> bool

val nowhere : int
(** The state of a thread that is in no queue and runs nowhere. *)

val state : 'ctx thread -> int
val set_state : 'ctx thread -> int -> unit

val core : 'ctx thread -> int
(** -1 until it was in some state. *)

val set_core : 'ctx thread -> int -> unit

val load : 'ctx thread -> int
(** With which it is counted. *)

val set_load : 'ctx thread -> int -> unit
val get : 'ctx thread -> int -> int
val set : 'ctx thread -> int -> int -> unit

(** {1 Leaving the policy} *)

val leaves : policy -> string -> unit
(** The calling fiber wants to leave; it raises as {!set_own} does. *)

val wants_to_leave : 'ctx thread -> unit
(** As {!leaves}, by whoever holds it. *)

val leaving : 'ctx thread -> bool
(** It has said so, and has not left yet. *)

val left : 'ctx thread -> unit
val is_away : 'ctx thread -> bool
val back : 'ctx thread -> unit

(** {1 What the system says of a thread} *)

val tick : int
(** The unit of time of attributes, in nanoseconds: 10 ms, the quantum of
    [Dromos.run] if none is named. *)

val now : unit -> int
(** In nanoseconds. *)

val falls_asleep : 'ctx thread -> unit

val wakes : 'ctx thread -> int -> unit
(** [wakes t k] sets attribute [k] to the ticks since [t] fell asleep; what is
    left over counts the next time. *)

val set_own : policy -> string -> int -> int -> unit
(** [set_own policy name k v] sets attribute [k] of the calling fiber. Raises
    [Invalid_argument], naming [name], if its run has another hub. Raises
    [Dromos.Misplaced] outside of a run. *)
