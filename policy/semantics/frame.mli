(** The frame of a running handler in the state: the handler's place in the
    code, the core on which it runs, the target, and numbered registers. The
    values are places in the frame. *)

val pc : int
(** 0 if the frame has no handler. *)

val self : int

val target : int
(** A core, or a thread + 1. *)

val waker : int
(** A thread + 1, or 0: see [Core.Waker]. *)

val first_register : int

val attribute : Dromos_policy_core.Core.attribute -> int
(** A negative number: it stands for all instances of the attribute in [uses]
    and [defines], beside the registers. *)
