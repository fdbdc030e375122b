(** Where signal handlers run. Internal to Dromos.

    Domains and threads that Dromos starts are born with every signal blocked: a
    handler would run in the middle of a domain's birth, or of a thread that
    waits for others.

    A process inherits the mask of the thread that starts it, and ignores what
    is blocked there. So threads that run tasks have the mask of the run's
    caller while they do ({!serving}), and handlers are called on these too.
    Other ways do not reach every child: [Unix.create_process] is [posix_spawn],
    which runs no [pthread_atfork] function, is given no attributes, and is
    called with the runtime lock held, so that no hook comes between; the
    functions of the C library are the program's, not ours to replace. *)

val blocked : (unit -> 'a) -> 'a
(** Runs a function with every signal blocked in the calling thread; what it
    spawns inherits that. *)

val making : (unit -> 'a) -> 'a
(** {!blocked}, for what makes threads or domains of Dromos's own
    ({!Own_threads.making}). *)

val protect : Mutex.t -> (unit -> 'a) -> 'a
(** [Mutex.protect] with signals {!blocked}: a handler that raises leaves no
    lock behind, nor half a change, and no fiber is preempted while it holds it
    ({!Mask}). For short sections off the hot paths. *)

val restored : (unit -> 'a) -> 'a
(** Runs a function with the mask the program started with. *)

(** {1 Threads that run tasks} *)

type set
(** A mask. *)

val current : unit -> set
(** The calling thread's. *)

val serving : set -> (unit -> 'a) -> 'a
(** Runs a function with that mask, on a thread of Dromos's own, and puts back
    what was. Two system calls. *)

val serves : unit -> bool
(** Whether the calling thread is in {!serving}. *)

val elsewhere : int -> unit
(** Blocks a signal in the calling thread, until it leaves {!serving}, and sends
    it to the process: another thread gets it. *)
