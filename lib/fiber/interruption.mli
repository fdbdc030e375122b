(** Exceptions of signal handlers: such an exception ends the run, and breaks no
    other code. Internal.

    OCaml runs a signal handler at a poll point of the code that a thread
    happens to run. An exception of the handler there would break that code: a
    task that changes hands would be lost, a message would be taken and not
    delivered. Dromos therefore puts a {e guard} around each handler of the
    program. The guard runs the handler at the poll point, and passes the
    handler's exception to the run instead of the interrupted code. The run's
    root scope is cancelled, the run's fibers leave at their next cancellation
    point with [Cancelled], and [Dromos.run] raises the handler's exception.

    {b Which run.} The run that the main thread of the program has called, if
    the main thread has called a run. Otherwise, a thread of Dromos's own sends
    the signal on to a thread of the program. The exception there goes to the
    run that this thread has called; without such a run, OCaml raises the
    exception in the thread.

    {b Twice.} If a handler of [SIGINT], [SIGTERM], [SIGHUP] or [SIGQUIT] raises
    while an interrupted run cleans up, the process ends by the signal.

    {b When handlers are found}: at the beginning of a run (without a system
    call if no handler is new), and every 10 to 50 ms while worker 0 sleeps or
    looks around ({!Turns}). A handler that was installed inside a run less than
    that ago has no guard yet, and its exception reaches the interrupted code.
    [Sys.signal] returns the guard in place of the handler; installing the guard
    again installs the handler.

    Tested: test/front/signals, with random strikes on programs of several
    shapes. *)

val record : Types.run -> exn -> Printexc.raw_backtrace -> unit
(** Records that the run was interrupted: the first exception counts, and
    carries the later ones ([Dromos.suppressed]) unless it is a constant. Any
    thread may call [record]. *)

val of_collector :
  what:string ->
  elsewhere:(exn -> Printexc.raw_backtrace -> unit) ->
  exn ->
  Printexc.raw_backtrace ->
  unit
(** Takes the exception of a function that the collector has called on this
    thread, for {!Gc_guard}. The exception goes to the run that the thread
    serves, or to the receiver of unhandled failures if that run stands for a
    [Runtime]; on a publisher thread, to the run that its domain serves; on the
    thread of a caller, to the called run. On another thread of Dromos the
    exception is reported as one of [what]. On any other thread of the program
    [of_collector] calls [elsewhere]. *)

val on_record : Types.run -> (unit -> unit) -> unit -> unit
(** [on_record run f] has [f] called when the run is interrupted, at once if the
    run was interrupted before. Calling the result removes [f] again. *)

val root_is_back : Types.run -> unit
(** The run has its root scope again, which {!Deadlock} had taken out:
    [root_is_back] cancels the scope if an interruption was recorded meanwhile.
*)

val during : (unit -> Types.run) -> (Types.run -> 'a) -> 'a
(** [during make f] calls a run in the calling thread: [make] makes the run, and
    [f] runs the run to its end. From here on the guards pass exceptions to the
    run. If the run was interrupted, [during] raises the interruption in place
    of [f]'s result or exception. *)

val own_threads : unit -> bool
(** [true]: the process has a thread of the program's own that is in no run.
    Dromos's threads ({!Dromos_service.Own_threads}) and callers of runs do not
    count. *)

val guard : unit -> unit
(** Puts a guard around handlers without a guard; two dozen system calls. *)

val guarded : unit -> bool
(** [true]: {!val-guard} has found a handler, or the beginning of a run has seen
    that the program had a handler, which may have been taken away since. *)

val has_handlers : unit -> bool
(** [true]: the program has a signal handler now; two dozen system calls, unless
    the program never had a handler. *)

val pending : unit -> bool
(** [true]: a signal with a handler has come, and no thread has run the handler
    yet; all threads may be asleep. *)
