(** Dromos beside Jane Street's Async: code of either waits for the other.

    Async runs in one domain, on its own scheduler; Dromos computes on other
    domains. There are two ways across:
    - {!sync}: Async code waits for any structure of [Dromos_sync];
    - {!await}: Dromos tasks, other domains and systhreads run Async code and
      wait for the result.

    {[
      # let () = Dromos_async.start ()
      # let requests = Dromos_sync.Channel.create ()
        let answer = Dromos_sync.Promise.create ()
        let serve () =
          Async_kernel.Deferred.map
            (Dromos_async.sync (Dromos_sync.Channel.recv_event requests))
            ~f:(fun n -> Dromos_sync.Promise.resolve answer (n + 1))
      val requests : int Dromos_sync.Channel.t = <abstr>
      val answer : int Dromos_sync.Promise.t = <abstr>
      val serve : unit -> unit Async_kernel.Deferred.t = <fun>
      # Dromos.run (fun () ->
            Dromos.both
              (fun () -> Dromos_async.await serve)
              (fun () ->
                Dromos_sync.Channel.send requests 41;
                Dromos_sync.Promise.await answer))
      - : unit * int = ((), 42)
    ]}

    {b Threads and domains.} The functions that Async calls thread-safe
    ([Thread_safe], [In_thread]) are safe among the systhreads of one domain
    only: Async's lock and queues are plain fields and rely on the master lock,
    and OCaml 5 has a master lock per domain. A Dromos task or another domain
    may call no function of Async, not even [Thread_safe.run_in_async]. Use
    {!await} there: {!await} goes through an inbox and a pipe that Async
    watches. Each function below names its callers, and raises
    [Dromos.Misplaced] for any other caller; the exception's text names the
    function to use.

    {b Exceptions.} An exception of a wait in Async code goes, with its
    backtrace, to the monitor under which {!sync} was called. The deferred stays
    undetermined, as usual in Async: catch the exception by [Monitor.try_with].
    {!await} raises the exceptions of Async code without Async's wrapping, with
    the backtrace kept by Async's monitor.

    {b Cancellation.} Async has no cancellation: a deferred cannot be withdrawn.
    A Dromos task cancelled in {!await} leaves at once; the Async code
    continues, and its result is dropped. An operation begun by {!sync} takes
    place as soon as possible, even if no code reads the result. Therefore do
    not race a {!sync} by [Deferred.any] or [choose]: the losing operation may
    take a message, and the message is lost. Make the choice an event instead,
    and turn the deferred that ends the wait into a promise by {!to_promise}.

    {b Limits.} Async has one scheduler per process. The scheduler never ends,
    so the domain started by {!start} lives as long as the program. A function
    that waits through [Dromos_suspend] in Async code, outside {!sync}, blocks
    Async, as any blocking call does; in [In_thread.run] the function blocks
    only the calling thread. A signal handled by Async wakes Async reliably only
    if the system delivers the signal to Async's own domain (Dromos's domains
    block all signals).

    Checked: tests with values, exceptions and cancellations, and storms of
    crossings, against Async 0.17; not model-checked. *)

val start : unit -> unit
(** Makes Async available to {!await}.

    Outside Async: starts Async on a domain of its own, for the rest of the
    program, unless Async is started already; returns as soon as Async runs. The
    domain records backtraces if the caller's domain does. Call [start] before
    any function of Async, since the first caller of Async owns Async's lock;
    [start] raises [Dromos.Misplaced] if another thread owns the lock.

    In Async code, in a program that runs [Scheduler.go], [Command.async] or
    [Thread_safe.block_on_async] itself: registers the calling domain as Async's
    domain. The first {!sync} or {!to_promise} registers the domain too. *)

val sync : 'a Dromos_sync.Event.t -> 'a Async_kernel.Deferred.t
(** [sync event] performs the operation, for example
    [sync (Channel.recv_event c)], and returns the result as a deferred. The
    deferred is determined at once if the operation can take place at once. The
    event's own functions run in Async, in the context of the call; guards run
    during the call.

    Callers are Async code, with Async's lock held. To a mutex of Dromos, all
    Async code is a single owner. *)

val to_promise : 'a Async_kernel.Deferred.t -> 'a Dromos_sync.Promise.t
(** Converts a deferred to a promise, for waits anywhere and for choices.
    Convert each deferred once: every call leaves a callback on the deferred.
    Example: a receive with a deadline in Async code:

    {[
      # let recv_until stopped c =
          let open Dromos_sync in
          Dromos_async.sync
            (Event.choose
               [
                 Event.wrap (Channel.recv_event c) Option.some;
                 Event.wrap (Promise.await_event stopped) (fun () -> None);
               ])
      val recv_until :
        unit Dromos_sync.Promise.t ->
        'a Dromos_sync.Channel.t -> 'a option Async_kernel.Deferred.t = <fun>
      # Dromos_async.await (fun () ->
            let c : int Dromos_sync.Channel.t = Dromos_sync.Channel.create () in
            let late = Async_kernel.Clock_ns.after Core.Time_ns.Span.millisecond in
            recv_until (Dromos_async.to_promise late) c)
      - : int option = None
    ]}

    Callers are Async code. *)

val await : (unit -> 'a Async_kernel.Deferred.t) -> 'a
(** [await f] runs [f ()] in Async and waits for the deferred. The calling task
    is suspended (or the calling thread is parked) meanwhile. [await] raises the
    first exception of [f], or of code started by [f], before the deferred is
    determined; later exceptions go to Async's log. If the caller is cancelled
    before [f] has begun, [f] is never called.

    Callers are any task, thread or domain without Async's lock. Raises
    [Dromos.Misplaced] if the caller holds the lock, and if no running Async is
    known ({!start}). *)
