(** Where signal handlers run. Internal to Dromos.

    Domains and threads that Dromos starts are born with every signal blocked,
    so that OCaml's handlers run on the program's own threads, not in the middle
    of a scheduler's code or of a domain's birth.

    A process inherits the mask of the thread that starts it, and ignores what
    is blocked there. So threads that run tasks have the mask of the run's
    caller while they do ({!serving}), with only those signals blocked besides
    that have a handler: the others end or stop the process, or do nothing,
    whichever thread they come to. Other ways do not reach every child.
    [Unix.create_process] is [posix_spawn], which runs no [pthread_atfork]
    function, is given no attributes, and is called with the runtime lock held,
    so that no hook comes between; the functions of the C library are the
    program's, not ours to replace. And with no signal blocked handlers would
    run here: the runtime asks the mask alone. *)

val blocked : (unit -> 'a) -> 'a
(** Runs a function with every signal blocked in the calling thread; what it
    spawns inherits that. *)

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

val serve : set -> int
(** Sets the calling thread's: that mask, and signals that now have a handler;
    the result is {!handled}. Two microseconds. *)

val serving : set -> (unit -> 'a) -> 'a
(** Runs a function so, and puts back what was. *)

val handled : unit -> int
(** Which signals have a handler, in OCaml or C, as bits: it changes when the
    program sets one. Those of synchronous faults are not among them. *)
