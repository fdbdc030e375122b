(** Exceptions of signal handlers: they end the run, and nothing else. Internal.

    OCaml runs a signal handler at a poll point of whatever code a thread is in.
    An exception that the handler raises there would break what that code was
    doing: a task that changes hands would be lost, a message taken and not
    delivered. So Dromos puts a {e guard} around each handler of the program.
    The guard runs the handler where the signal strikes, and hands its exception
    to the run instead of the interrupted code: the run's root scope is
    cancelled, its fibers leave at their next cancellation point with
    [Cancelled], and [Dromos.run] raises the handler's exception.

    {b Which run.} The one that the main thread of the program has called, if it
    has called one. Else, on a thread of Dromos's own, none: the signal is sent
    on to a thread of the program. That one's exception goes to the run that the
    thread has called; if there is none, it goes where OCaml sends it.

    {b Twice.} If a handler of [SIGINT], [SIGTERM], [SIGHUP] or [SIGQUIT] raises
    while a run that was interrupted cleans up, the process ends by that signal.

    {b When handlers are found}: at the beginning of a run, every 10 to 50 ms
    while worker 0 sleeps or looks around ({!Turns}). An exception of a handler
    that was installed inside a run less than that ago strikes where it strikes.
    [Sys.signal] returns the guard in place of the handler; to install the guard
    again is to install the handler.

    Tested: test/front/signals, with random strikes on programs of several
    shapes. *)

val record : Fiber.run -> exn -> Printexc.raw_backtrace -> unit
(** The run was interrupted: the first exception counts. Lock-free; from
    anywhere. *)

val on_record : Fiber.run -> (unit -> unit) -> unit -> unit
(** Has the function called when the run is interrupted, unless it has been
    before; the result takes that back. *)

val root_is_back : Fiber.run -> unit
(** The run has its root scope again, which {!Deadlock} had taken out: what was
    recorded meanwhile is carried out. *)

val during : (unit -> Fiber.run) -> (Fiber.run -> 'a) -> 'a
(** The calling thread calls a run, which the first function makes and the
    second one runs to its end; from here on the guards count for it. Raises
    what interrupted the run in place of the function's result or exception. *)

val own_threads : unit -> bool
(** Whether the process has a thread of the program's own that is in no run:
    neither Dromos's ({!Dromos_service.Own_threads}) nor the caller of a run. *)

val guard : unit -> unit
(** Puts a guard around handlers that have none; two dozen system calls. *)

val guarded : unit -> bool
(** Whether {!val-guard} found a handler. *)

val has_handlers : unit -> bool
(** Whether the program has a signal handler now; two dozen system calls. *)

val pending : unit -> bool
(** A signal with a handler has come, and no thread has run the handler yet: all
    threads that may sleep. *)
