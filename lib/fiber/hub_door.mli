(** The right of a thread to use a run's hub as a worker at this moment. Only
    this module writes [hub_open] and [visited] of {!Types.type-local}.
    Internal.

    A hub takes the operations of worker [i] from a single thread at a time: the
    thread that serves in the role. While the thread runs a fiber the door is
    open. Each operation of the hub closes the door, and opens the door at the
    end. A signal handler or a finaliser that interrupts the operation finds the
    door closed, and submits its tasks from outside instead. When the thread
    stands at a poll point, its companion ({!Companion}) may go through the open
    door too; until the companion is out again the thread finds the door closed.

    The thread and its companion are threads of one domain, which alternate at
    poll points only, so plain fields are enough: no poll point separates a test
    from its store. *)

val enter : Types.local -> bool
(** [true]: the door was open; the caller has closed the door, and must call
    {!leave}. *)

val leave : Types.local -> unit

val open_ : Types.local -> unit
(** Called by the serving thread when a fiber begins or goes on. *)

val close : Types.local -> unit
(** Called by the serving thread after the fiber has left the thread. Waits for
    the companion if the companion is inside, which takes the time of a single
    operation of the hub. *)

val visit : Types.local -> (unit -> unit) -> unit
(** Called by the companion: runs the function inside, unless the door is
    closed. The function must not raise. *)
