(** Decides on which threads signal handlers run. Internal to Dromos.

    Domains and threads that Dromos starts are born with every signal blocked:
    otherwise a handler could run in the middle of a domain's birth, or on a
    thread that waits for others.

    A process inherits the mask of the thread that starts it, and ignores the
    signals blocked there. A thread that runs tasks therefore has the mask of
    the run's caller ({!serving}), and handlers run on such threads too. Dromos
    cannot change the mask of every child instead. [Unix.create_process] calls
    [posix_spawn], which runs no [pthread_atfork] function; OCaml gives it no
    attributes, and holds the runtime lock meanwhile, so no hook of Dromos runs.
    The functions of the C library belong to the program, so Dromos must not
    replace them. *)

val blocked : (unit -> 'a) -> 'a
(** [blocked f] runs [f] with every signal blocked in the calling thread. Then
    the handlers of pending signals run, and may raise. Threads spawned by [f]
    inherit the mask. *)

val making : (unit -> 'a) -> 'a
(** [making f] is [f ()] with every signal blocked, for functions that make
    threads or domains of Dromos ({!Own_threads.making}). An exception is an
    exception of [f]: the handlers of pending signals run later, in the caller's
    code. So an exception says that the system refused the thread. *)

val protect : Mutex.t -> (unit -> 'a) -> 'a
(** [Mutex.protect] with signals {!blocked}. A handler that raises therefore
    leaves no lock and no half change behind, and no fiber is preempted while it
    holds the lock ({!Mask}). For short sections off the hot paths. *)

val restored : (unit -> 'a) -> 'a
(** [restored f] runs [f] with the mask with which the program started. *)

(** {1 Threads that run tasks} *)

type set
(** A signal mask. *)

val current : unit -> set
(** The mask of the calling thread. *)

val serving : set -> (unit -> 'a) -> 'a
(** [serving mask f] runs [f] with [mask], on a thread of Dromos, and then
    restores the previous mask. Two system calls. *)

val serves : unit -> bool
(** [true] if the calling thread is in {!serving}. *)

val elsewhere : int -> unit
(** Blocks a signal in the calling thread, until the thread leaves {!serving},
    and sends the signal to the process: another thread gets the signal. *)
