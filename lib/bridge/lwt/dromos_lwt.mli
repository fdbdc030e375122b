(** Dromos beside Lwt: each waits for the other.

    Lwt runs in one thread, on its own loop; Dromos computes on other domains.
    Here are the ways across:

    - from Lwt code: {!offload} has a function computed by a Dromos run and
      gives a promise; {!sync} and {!fiber} wait for any structure of
      [Dromos_sync];
    - from everywhere else (Dromos tasks, other domains, systhreads): {!in_lwt}
      runs Lwt code, {!await} waits for an Lwt promise.

    {[
      # let rec fib n = if n < 2 then n else fib (n - 1) + fib (n - 2)

        let result =
          let open Lwt.Syntax in
          Dromos_lwt.run (fun () ->
              let tick = Lwt_unix.sleep 0.001 in
              let* n = Dromos_lwt.offload (fun () -> fib 25) in
              let* () = tick in
              Lwt.return n)
      val fib : int -> int = <fun>
      val result : int = 75025
    ]}

    {b Threads.} Promises belong to the thread that runs Lwt; every function
    says who may call it, and raises [Dromos.Misplaced], with what to do
    instead, for others. So do [Lwt_unix.sleep], [Lwt.pause] and whatever of
    Lwt's waits for a descriptor, once this library knows Lwt's thread (a guard
    stands before Lwt's engine); and {!run}, if its promise is resolved on
    another thread ([Lwt.wakeup] in a fiber). Lwt itself does not look: what
    else of it is called elsewhere is not noticed. Into Lwt's thread leads one
    inbox, emptied by one thread-safe notification for all that is in it.

    {b Cancellation} crosses both ways. [Lwt.cancel] on a promise made here
    cancels the task or the wait behind it; if that has succeeded by then, the
    promise is resolved with its result, so that nothing that was received is
    lost. A Dromos task that is cancelled leaves its wait at once; {!in_lwt}
    then cancels the Lwt code it started, {!await} leaves the promise alone.

    {b Exceptions} keep their backtraces, as far as Lwt lets them: its rejected
    promises hold the exception alone. Here the backtrace is the current one
    while a promise's callbacks run, so that in the handler of a [Lwt.catch] or
    [Lwt.try_bind] around it, and out of {!run} and {!in_lwt}, it is that of the
    [raise], in whatever domain; it is forgotten when that domain raises another
    exception first. [Printexc.record_backtrace] must be on.

    {b Storage} ([Dromos.Fls]) crosses both ways. Lwt code that {!in_lwt} runs
    has its caller's, and the callbacks that it binds have it too; {!offload}
    and {!fiber} begin with that of the Lwt code that calls them. In Lwt code
    [Fls.find] and [Fls.let_] work as in a fiber ([Fls.let_ key v f] where [f]
    gives a promise binds for all that follows in [f]); [Fls.set] is refused.
    The storage is kept under a key of [Lwt.with_value].

    {[
      # let user : string Dromos.Fls.key = Dromos.Fls.new_key ()
        let who () = Option.value (Dromos.Fls.find user) ~default:"nobody"
      val user : string Dromos_sched.Fls.key = <abstr>
      val who : unit -> string = <fun>
      # Dromos_lwt.run (fun () ->
          Dromos.Fls.let_ user "alice" (fun () ->
              Lwt.bind (Lwt.pause ()) (fun () -> Dromos_lwt.offload who)))
      - : string = "alice"
    ]}

    {b Limits.} Lwt 5 and 6 have one loop per process. A function that waits
    through [Dromos_suspend] and is called in Lwt code outside {!sync} and
    {!fiber} blocks the loop, as any blocking call does; after a second that is
    reported ({!Dromos_service.Reporter}), with the place.

    Checked: tests with values, exceptions and cancellations of either side in
    every state, storms, and counts of live words; not model-checked. *)

(** {1 Lwt's thread} *)

val run : (unit -> 'a Lwt.t) -> 'a
(** [Lwt_main.run (f ())], with the calling thread known as Lwt's from the
    start: the front door of a program that is an Lwt program. Exceptions keep
    their backtrace. When it returns, those who wait for Lwt are told by
    [Dromos.Misplaced]; a {!fiber} that waits is cancelled, and what a {!sync}
    waits for is withdrawn, so that nothing is given to Lwt code that will not
    run any more; promises that are pending stay so.

    Raises [Dromos.Misplaced] where Lwt runs already: it has one loop.

    A program that calls [Lwt_main.run] itself need not change: the first
    {!offload}, {!sync} or {!fiber} in it makes the calling thread known as
    Lwt's, and {!in_lwt} and {!await} work from then on. *)

val with_loop : (unit -> 'a) -> 'a
(** [with_loop f] is [f ()] in the calling thread, with Lwt running on a domain
    of its own meanwhile: the front door of a program that is a Dromos program,
    or none, and needs Lwt libraries through {!in_lwt}. The loop ends when [f]
    does, or when the program exits. If it fails, as by
    [Lwt.async_exception_hook], [with_loop] raises its exception when [f] is
    over, whatever [f] does. Raises [Dromos.Misplaced] where Lwt runs already.

    {[
      # Dromos_lwt.with_loop (fun () ->
          Dromos.run (fun () ->
              Dromos.both
                (fun () -> Dromos_lwt.in_lwt (fun () -> Lwt.return 20))
                (fun () -> 22)))
      - : int * int = (20, 22)
    ]} *)

(** {1 From Lwt code} *)

(** The runtimes that Lwt programs compute in. *)
module Pool : sig
  type t = Dromos.Runtime.t
  (** Any runtime will do, with a bounded queue, hooks or preemption
      ({!Dromos.Runtime.create}), and other threads may use it too. *)

  val start :
    ?workers:int -> ?hub:Dromos.Hub.t -> ?minor_heap_words:int -> unit -> t
  (** {!Dromos.Runtime.create}, from any thread. *)

  val default : unit -> t
  (** The one {!offload} uses, started when first asked for, and again if it was
      stopped, with [DROMOS_WORKERS] workers, or one fewer than
      [Dromos.default_workers ()] without it, since Lwt's thread is busy too. *)

  val stop : t -> unit Lwt.t
  (** {!Dromos.Runtime.stop}, draining: resolved when all its functions are
      over; it takes no more from now on. On Lwt's thread. (A program may also
      just end.) *)
end

val offload : ?pool:Pool.t -> ?blocking:bool -> (unit -> 'a) -> 'a Lwt.t
(** [offload f] has [f] run as a Dromos fiber, on another domain: it may fork
    ([Dromos.both], [Par]), wait, and call {!in_lwt}. It runs in a scope of its
    own: the promise is resolved when all that it started is over.

    {b A function that blocks} ([Unix.sleepf], a database driver, a file) holds
    a worker while it does: with one worker eight calls of 0.1 s take 0.8 s.
    [offload ~blocking:true f] runs it through {!Dromos.blocking}, on a thread
    of its own, and they take 0.1 s together; [f] is then outside of any run,
    cannot fork, and cannot be stopped. A function that computes as well keeps
    its worker and wraps what blocks:
    [offload (fun () -> compute (Dromos.blocking read))].

    {[
      # let read name = In_channel.with_open_bin name In_channel.input_line in
        Dromos_lwt.run (fun () ->
            Lwt.map Option.is_some
              (Dromos_lwt.offload ~blocking:true (fun () -> read "/proc/uptime")))
      - : bool = true
    ]}

    If the pool has a bounded queue that is full, the promise waits for room,
    and Lwt's loop goes on.

    [Lwt.cancel] on the promise cancels that scope (or leaves the queue); the
    promise is then rejected with [Lwt.Canceled] at once, and [f] stops at its
    next cancellation point.

    On Lwt's thread. Raises {!Dromos.Runtime.Stopped} if the pool was stopped;
    where it is stopped while the promise waits for room, the promise is
    rejected with that. *)

val sync : 'a Dromos_sync.Event.t -> 'a Lwt.t
(** Carries out the operation, and gives its result:
    [sync (Channel.recv_event c)]. [Lwt.cancel] withdraws it; if it took place
    before that, the promise is resolved with its result nevertheless.
    [Lwt.pick] therefore may lose a result where [sync (Event.choose ..)] does
    not. An exception of the event's own functions (guards too) is the
    promise's. On Lwt's thread.

    Lwt code is one owner to a mutex, whatever promise it runs for; lock in a
    {!fiber}. *)

val of_promise : 'a Dromos_sync.Promise.t -> 'a Lwt.t
(** The promise's result. [Lwt.cancel] leaves the wait. On Lwt's thread. *)

val fiber : (unit -> 'a) -> 'a Lwt.t
(** [fiber f] runs [f] on Lwt's own thread, in direct style: up to its end or
    its first wait now, and the rest from the loop. In it every blocking
    operation of [Dromos_sync] suspends this fiber only, and {!await} and
    {!in_lwt} wait for Lwt promises; it is an owner of its own to a mutex.

    {[
      # Dromos_lwt.run (fun () ->
          Dromos_lwt.fiber (fun () ->
              let greet name =
                Dromos_lwt.await (Lwt_unix.sleep 0.001);
                "hello " ^ name
              in
              greet "you"))
      - : string = "hello you"
    ]}

    [Lwt.cancel] on the promise raises [Lwt.Canceled] where the fiber waits, or
    at its next wait, once; the promise is resolved with whatever the fiber
    makes of it. On Lwt's thread. *)

(** {1 From everywhere else} *)

val in_lwt : (unit -> 'a Lwt.t) -> 'a
(** [in_lwt f] runs [f ()] on Lwt's thread and waits for its promise; suspends
    the calling task (or parks the calling thread) meanwhile. Raises what [f] or
    the promise does.

    If the caller is cancelled it leaves at once, and the promise is cancelled
    ([Lwt.cancel]), or [f] never called.

    From any task, thread or domain but Lwt's own; there, in a {!fiber}. Raises
    [Dromos.Misplaced] if Lwt runs nowhere, or ends before the promise is
    resolved. *)

val await : 'a Lwt.t -> 'a
(** Like {!in_lwt}, for a promise that exists already: if the caller is
    cancelled, the promise is left alone. *)
