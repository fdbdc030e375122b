(** A small concurrent scheduler: fibers that take turns on one thread, first
    come, first served.

    Fifo is an example: it shows how a scheduler takes part in
    {{!Dromos_suspend}the one Suspend effect}. The fibers wait in any structure
    that performs the effect (promises, mutexes, channels of {!Dromos_sync}),
    and are resumed from any domain, systhread, callback or other scheduler.
    Fifo is also useful by itself, for thousands of tasks in one domain that
    wait more than they compute. Read the implementation; the page
    {{!page-schedulers}Schedulers} tells the same story for other schedulers.

    A {!run} has no parallelism inside. Between two calls that fork, yield or
    wait, a fiber is not interleaved with other fibers of the same run.

    Source: the thesis "Effectively composing concurrency libraries" (Deepali
    Ande, 2023), sections 2.2, 2.5, 3.2 and appendix A, with these changes:
    cancellation is eager (a waiting fiber is resumed at once); a wait that has
    ended with a value is never cancelled, so a lock handed over is not lost; an
    exception in a fiber ends the run; an idle run suspends its task instead of
    blocking its domain.

    Checked (test/fifo): dscheck of waking an idle run, resuming and cancelling
    in every order, with seeded bugs; stress from several domains; and the
    contract's conformance suite (test/conformance).

    {[
      # let order = ref [] in
        let say s = order := s :: !order in
        Dromos_fifo.run (fun () ->
            let p = Dromos_sync.Promise.create () in
            let _ = Dromos_fifo.fork (fun () ->
                say (Dromos_sync.Promise.await p)) in
            let _ = Dromos_fifo.fork (fun () ->
                say "second"; Dromos_sync.Promise.resolve p "first") in
            say "main");
        List.rev !order
      - : string list = ["second"; "main"; "first"]
    ]} *)

type handle
(** A fiber. *)

exception Cancelled
(** Raised in a cancelled fiber at each of its cancellation points: {!fork},
    {!yield}, and every wait. Clean up, and let the exception pass. *)

val run : (unit -> 'a) -> 'a
(** [run main] calls [main] in a fiber, and returns the value of [main] when all
    fibers forked in the run are over.

    The first exception that a fiber lets out (other than {!Cancelled}, from a
    cancelled fiber) cancels all fibers. Once all fibers are over, [run] raises
    the exception, with its backtrace. Later exceptions are lost.

    While every fiber waits, the task that called [run] waits too: a fiber of
    Dromos or of another [run] is suspended, and holds neither its worker nor
    its siblings; a plain systhread or domain is parked
    ({!Dromos_suspend.suspend}). An exception out of the task's wait, for
    example the cancellation of the task, is handled like an exception of a
    fiber. If the fibers are never resumed, [run] does not return. *)

val fork : (unit -> unit) -> handle
(** Makes a fiber and runs the fiber at once. The caller goes to the end of the
    queue, behind all fibers that wait for their turn. O(1). To wait for the
    fiber's end or result, let the fiber resolve a promise.

    Raises [Invalid_argument] outside of {!run}: in a plain thread, or in a task
    of another scheduler that was started from a fiber. *)

val yield : unit -> unit
(** Lets the other fibers have their turn. Raises like {!fork}. *)

val cancel : handle -> unit
(** Cancels the fiber, for good. A waiting fiber is resumed with {!Cancelled}
    now. A fiber that runs, or was resumed already, gets {!Cancelled} at its
    next cancellation point. Has no effect on a fiber that is cancelled or over,
    and none on the fibers that the fiber has forked. From anywhere, other
    domains included; O(1); neither blocks nor raises. *)
