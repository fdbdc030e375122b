(** Virtual processors: the workers of a run, on which schedulers run fibers.

    A vproc runs one fiber at a time. It is a worker of the kernel: what the
    kernel's loop does, the run's hub, is the root action, under every scheduler
    of the vproc. A domain serves it when there is something to do; a fiber that
    is given to a vproc with none has one summoned.

    All functions by a fiber of the run, unless said otherwise.

    Source: Manticore, sections 2.2, 2.3 and 3.1. *)

type t

val host : unit -> t
(** The one that runs the caller. A fiber that is not pinned may be elsewhere
    after its next wait. *)

val all : unit -> t list
val count : unit -> int

val id : t -> int
(** [0 .. count () - 1] *)

val is_idle : t -> bool
(** Whether it has lately found nothing to do. A guess, for whom to wake. From
    anywhere. *)

val equal : t -> t -> bool

(** {1 The vproc's queue}

    A queue of fibers that stay on this vproc. The kernel's loop runs what is in
    it, between other tasks, until a scheduler calls {!deq}. *)

val enq : Core.fiber -> unit
(** On the host vproc. *)

val enq_on : t -> Core.fiber -> unit
(** From anywhere. Never waits. *)

val deq : unit -> Core.fiber
(** In an action: the oldest of the host's queue. Waits while there is none. The
    scheduler serves the queue from its first call on, until it is over. *)

val migrate_to : t -> unit
(** Has the calling fiber go on there. A fiber that was preempted by force moves
    when it next waits or yields. *)

val preempt : t -> unit
(** Preempts what runs there now, before its quantum is over: for a scheduler
    that learns (in [ready]) of something more urgent. Does nothing where
    {!Preemption} is not on. From any thread, and from fibers of other runs,
    where [ready] may be called; about a microsecond. *)

(** {1 For schedulers} *)

val check : call:string -> t -> unit
(** Raises [Invalid_argument] in the name of [call] if the caller is a fiber of
    another run than the vproc's. *)

val check_fiber : call:string -> t -> Core.fiber -> unit
(** Likewise if the fiber belongs to another run than the vproc. *)

(** {1 Assignment}

    A {e group} is a parallel computation that wants vprocs. *)

type group

val group : unit -> group
(** Of the caller's run; the functions below refuse callers of another one. *)

val provision : group -> t option
(** A vproc that the group does not have yet, one with the fewest groups; [None]
    if it has all. *)

val release : group -> t -> unit
(** Gives it back. Raises [Invalid_argument] if the group does not have it. *)
