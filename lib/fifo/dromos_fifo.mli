(** A small concurrent scheduler: fibers that take turns on one thread, first
    come, first served.

    It is the example of how a scheduler takes part in
    {{!Dromos_suspend}the one Suspend effect}: its fibers wait on whatever
    performs that effect (promises, mutexes, channels of {!Dromos_sync}), and
    are resumed from any domain, systhread, callback or other scheduler. It is
    also of use: for thousands of tasks that wait, rather than compute, within
    one domain. Read the implementation; the page {{!page-schedulers}Schedulers}
    tells the same story for other schedulers.

    There is no parallelism inside a {!run}, so code between two of {!fork},
    {!yield} and whatever waits is not interleaved with other fibers of the same
    run.

    Source: the thesis "Effectively composing concurrency libraries" (Deepali
    Ande, 2023), sections 2.2, 2.5, 3.2 and appendix A, with these changes:
    cancellation is eager (a waiting fiber is resumed at once); a wait that
    ended with a value is never cancelled, so that a lock handed over is not
    lost; an exception in a fiber ends the run; an idle run suspends the task it
    runs in, instead of blocking its domain.

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
(** What a cancelled fiber finds at each of its cancellation points: a {!fork},
    a {!yield}, and whatever waits. Let it pass, after cleaning up. *)

val run : (unit -> 'a) -> 'a
(** [run main] calls [main] in a fiber, and returns its value when all fibers
    that were forked meanwhile are over.

    The first exception that a fiber lets out (other than {!Cancelled}, from a
    fiber that was cancelled) cancels all fibers; once they are over [run]
    raises it, with its backtrace. Later ones are lost.

    While every fiber waits, so does the task in which [run] was called: a fiber
    of Dromos or of another [run] is suspended, without holding its worker or
    its siblings; a plain systhread or domain is parked
    ({!Dromos_suspend.suspend}). An exception out of that wait, such as the
    cancellation of the surrounding task, is handled like a fiber's. If nobody
    ever resumes the fibers, [run] does not return. *)

val fork : (unit -> unit) -> handle
(** Makes a fiber and runs it at once; the caller goes on when it is its turn
    again, behind those that were waiting for theirs. O(1). Who wants to wait
    for the fiber's end, or its result, has it resolve a promise.

    Raises [Invalid_argument] outside of {!run}: in a plain thread, or in a task
    of another scheduler that was started from a fiber. *)

val yield : unit -> unit
(** Lets the others have their turn. Raises like {!fork}. *)

val cancel : handle -> unit
(** The fiber is cancelled, for good. If it waits it is resumed with
    {!Cancelled} now, unless it was resumed already: then, and if it runs, it
    finds out at its next cancellation point. Does nothing to a fiber that is
    cancelled or over already, nor to the fibers that it forked. From anywhere,
    also other domains; O(1); neither blocks nor raises. *)
