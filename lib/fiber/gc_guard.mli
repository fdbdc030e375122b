(** Exceptions of functions that the collector calls: such an exception ends the
    run, and breaks no other code. Internal.

    OCaml calls finalisers ([Gc.finalise], [Gc.finalise_last], and the alarms of
    [Gc.create_alarm], which are finalisers too) and the callbacks of
    [Gc.Memprof] at a poll point of the code that a thread happens to run. An
    exception there would break that code, as an exception of a signal handler
    would ({!Interruption}). Each such function therefore gets a guard when the
    program registers the function.

    {b Finalisers.} The guard never passes an exception to the interrupted code
    of a run. {!Interruption.of_collector} says which run gets the exception.
    Inside a section of {!Dromos_service.Mask}, where the thread may hold a lock
    that the finaliser wants, the finaliser is called at the end of the section.
    On a thread of the service domain the finaliser must not wait
    ([Dromos_suspend.Callback]), because all timers would wait with it.

    {b Threads in no run.} An exception of a finaliser reaches the interrupted
    code if that code is the program's. If the interrupted code is a part of
    Dromos (a [Channel.send], a [Semaphore.release]), the guard keeps the
    exception and tries again after the next minor collection of the domain.
    After a hundred such collections the exception is reported.

    {b Domains that begin} inherit finalisers of domains that have ended, and
    may call the finalisers before they have domain-local storage, which most
    operations need. The guard puts such calls off to the next minor collection,
    and also a call that finds a stack without room
    ({!Dromos_service.Stack_room}).

    {b Callbacks of Memprof.} An exception reaches the interrupted code if that
    code is the program's: memprof-limits ends computations so. If the
    interrupted code is a part of Dromos, the exception goes to the run, like an
    exception of a finaliser. The names of the functions on the call stack tell
    the two cases apart.

    {b How.} The linker sends the primitives of [Gc] to guards. Elsewhere than
    on Linux there are no guards, and an exception reaches the interrupted code.

    Tested: test/struck. *)

val active : bool
(** [true]: functions that are registered from now on get guards. *)
