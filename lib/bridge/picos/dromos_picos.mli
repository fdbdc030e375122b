(** Dromos beside Picos: code of either waits for the other, under any Picos
    scheduler, and in Moonpool's tasks, which are Picos fibers. The interface is
    that of [Dromos_eio].

    - In a Picos fiber: {!wrap} lets the fiber wait for any structure of
      [Dromos_sync]; {!offload} computes a function in a Dromos run.
    - In a Dromos fiber: {!in_picos} runs Picos code and waits for the result.

    Picos cancels with any exception, so {!Dromos_suspend.is_cancellation} knows
    no exception of Picos: a [Lazy] whose computation is cancelled keeps the
    exception.

    Tested against Picos 0.6.0 (the schedulers of picos_mux). *)

(** {1 In a Picos fiber} *)

val wrap : (unit -> 'a) -> 'a
(** [wrap f] is [f ()]. Inside [f], waiting for a structure of [Dromos_sync]
    suspends the calling Picos fiber alone. Any domain, systhread or scheduler
    may wake the fiber.

    {b Cancellation} of the fiber's computation ends the wait at once with the
    computation's exception and backtrace; a lock or a message that was meant
    for the fiber goes to the next waiter. [Fiber.forbid] keeps a wait from
    being cancelled.

    Every fiber has handlers of its own: a fiber started inside [wrap] needs a
    [wrap] of its own. *)

val offload : ?pool:Dromos.Runtime.t -> (unit -> 'a) -> 'a
(** [offload f] has [f] run as a Dromos fiber, on another domain; the calling
    Picos fiber waits. [f] runs in a scope of its own, and [offload] returns
    when all tasks of the scope are over.

    Cancelling the fiber's computation cancels the scope; [offload] raises the
    computation's exception when [f] is over.

    Callers are Picos fibers, inside {!wrap} or not; elsewhere
    [Dromos.Misplaced] is raised. Raises {!Dromos.Runtime.Stopped}. [Dromos.run]
    raises [Dromos.Misplaced] in a Picos fiber, since the run would block the
    fiber's scheduler (but not under [picos_mux.thread], where each fiber is a
    thread). *)

val default_pool : unit -> Dromos.Runtime.t
(** The runtime used by {!offload}; see [Dromos_eio.default_pool]. *)

(** {1 In a Dromos fiber} *)

val in_picos : (unit -> 'a) -> 'a
(** [in_picos f] runs [f] in a new Picos fiber and waits for the result. The
    fiber that called the caller's {!offload} spawns the new fiber; while
    {!with_loop} goes on, any other caller's [f] runs there. Cancelling the
    caller cancels the new fiber's computation; [in_picos] raises when the new
    fiber has ended.

    Raises [Dromos.Misplaced] elsewhere, and after the end of the [offload]. *)

val with_loop : ((unit -> unit) -> unit) -> (unit -> 'a) -> 'a
(** [with_loop run f] is [f ()], while [run] runs Picos on a domain of its own,
    as [Picos_mux_fifo.run] does. Where [picos_io] is installed, the main thread
    has to call [Picos_io_select.check_configured ()] before
    [Picos_mux_fifo.run]. If [run] ends before [f] is over, {!in_picos} raises
    [Dromos.Misplaced] from then on, and [with_loop] raises what [run] raised.
    Raises [Dromos.Misplaced] while another [with_loop] goes on. *)
