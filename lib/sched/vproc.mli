(** Virtual processors: the workers of a run, on which schedulers run fibers.

    A vproc runs one fiber at a time, and is a worker of the kernel. The
    kernel's loop, over the run's hub, is the root action, below every scheduler
    of the vproc. A domain serves the vproc while there is work; giving a fiber
    to a vproc without a domain summons a domain.

    Call all functions in a fiber of the run, unless said otherwise.

    Source: Manticore, sections 2.2, 2.3 and 3.1. *)

type t

val host : unit -> t
(** The vproc that runs the caller. A fiber that is not pinned may be on another
    vproc after its next wait. *)

val all : unit -> t list
val count : unit -> int

val id : t -> int
(** [0 .. count () - 1] *)

val is_idle : t -> bool
(** [true] if the vproc has lately found no work. A guess, used to choose the
    vproc to wake. From anywhere. *)

val equal : t -> t -> bool

(** {1 The vproc's queue}

    A queue of fibers that stay on this vproc. The kernel's loop runs the fibers
    of the queue between other tasks, until a scheduler calls {!deq}. *)

val enq : Core.fiber -> unit
(** On the host vproc. *)

val enq_on : t -> Core.fiber -> unit
(** From anywhere. Never waits. *)

val deq : unit -> Core.fiber
(** In an action: takes the oldest fiber of the host's queue, and waits while
    the queue is empty. From its first call of [deq] until it is over, the
    scheduler serves the queue in place of the kernel's loop. *)

val migrate_to : t -> unit
(** Moves the calling fiber to the vproc. A fiber that was preempted by force
    moves when it next waits or yields. *)

val preempt : t -> unit
(** Preempts the fiber that the vproc runs now, before its quantum is over: for
    a scheduler that learns (in [ready]) of a more urgent fiber. Has no effect
    where {!Preemption} is not on. From any thread, from fibers of other runs,
    and from [ready]; takes about a microsecond. *)

(** {1 For schedulers} *)

val check : call:string -> t -> unit
(** Raises [Invalid_argument] in the name of [call] if the caller is a fiber of
    another run than the vproc's. *)

val check_fiber : call:string -> t -> Core.fiber -> unit
(** Raises [Invalid_argument] in the name of [call] if the fiber belongs to
    another run than the vproc. *)

(** {1 Assignment}

    A {e group} is a parallel computation that wants vprocs. *)

type group

val group : unit -> group
(** A group of the caller's run. The functions below refuse callers of another
    run. *)

val provision : group -> t option
(** Adds a vproc to the group: of the vprocs outside the group, a vproc with the
    fewest groups. [None] if the group has all vprocs. *)

val release : group -> t -> unit
(** Takes the vproc out of the group. Raises [Invalid_argument] if the group
    does not have the vproc. *)
