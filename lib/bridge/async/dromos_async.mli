(** Dromos beside Jane Street's Async: each waits for the other.

    Async runs in one domain, on its own scheduler; Dromos computes on other
    domains. There are two ways across:

    - Async code waits for any structure of [Dromos_sync] by {!sync};
    - everybody else (Dromos tasks, other domains, systhreads) runs Async code
      and waits for it by {!await}.

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

    {b Threads and domains.} What Async calls thread-safe ([Thread_safe],
    [In_thread]) is so among the systhreads of one domain: its lock and queues
    are plain fields, and count on the master lock, of which OCaml 5 has one per
    domain. No function of Async, [Thread_safe.run_in_async] included, may be
    called in a Dromos task or another domain; {!await} is for that, and goes by
    an inbox of its own and a pipe that Async watches. Every function here says
    who may call it, and raises [Dromos.Misplaced], with what to do instead, for
    others.

    {b Exceptions.} What a wait raises in Async code goes, with its backtrace,
    to the monitor under which {!sync} was called, and the deferred stays
    undetermined, as Async has it: [Monitor.try_with] around it catches it. What
    Async code raises is raised by {!await}, without Async's wrapping, with the
    backtrace that Async's monitor kept.

    {b Cancellation.} Async has none: a deferred cannot be told that nobody
    wants it. A Dromos task that is cancelled in {!await} leaves at once; the
    Async code it started goes on, and its result is dropped. An operation begun
    by {!sync} takes place whenever it can, read or not. So do not race it by
    [Deferred.any] or [choose], where its message would be lost: make the choice
    an event, with {!to_promise} for what Async would end it by.

    {b Limits.} Async has one scheduler per process, which never ends: neither
    does the domain that {!start} gives it, until the program does. A function
    that waits through [Dromos_suspend] and is called in Async code outside
    {!sync} blocks Async, as any blocking call does; in [In_thread.run] it
    blocks that thread only. Signals that Async handles wake it reliably only if
    they are delivered in its own domain (Dromos's domains block them all).

    Checked: tests with values, exceptions and cancellations, and storms of
    crossings, against Async 0.17; not model-checked. *)

val start : unit -> unit
(** Makes Async reachable for {!await}.

    Outside Async: starts it on a domain of its own, for the rest of the
    program, unless that was done already; returns once it runs. The domain
    records backtraces if the caller's does. To be called before anything else
    of Async's is, since who calls first owns Async's lock; raises
    [Dromos.Misplaced] if somebody did.

    In Async code, in a program that runs [Scheduler.go], [Command.async] or
    [Thread_safe.block_on_async] itself: makes the calling domain known as
    Async's. So does the first {!sync} or {!to_promise}. *)

val sync : 'a Dromos_sync.Event.t -> 'a Async_kernel.Deferred.t
(** Carries out the operation, and gives its result:
    [sync (Channel.recv_event c)]. Determined at once if the operation can take
    place at once. The event's own functions run in Async, guards now, in the
    context of the call.

    In Async code (where Async's lock is held). To Dromos's mutexes all Async
    code is one owner. *)

val to_promise : 'a Async_kernel.Deferred.t -> 'a Dromos_sync.Promise.t
(** The deferred as a promise, for anyone to wait for, and for choices. To be
    made once per deferred, since each call leaves it a callback. For instance a
    receive that Async code can give up:
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
    In Async code. *)

val await : (unit -> 'a Async_kernel.Deferred.t) -> 'a
(** [await f] runs [f ()] in Async and waits for its deferred; suspends the
    calling task (or parks the calling thread) meanwhile. Raises the first thing
    that [f] or what it started raises, before the deferred is determined; what
    they raise later goes to Async's log. If the caller is cancelled before [f]
    has begun, it never does.

    From any task, thread or domain, except where Async's lock is held. Raises
    [Dromos.Misplaced] there, and if Async is not known to run ({!start}). *)
