(** Dromos beside Lwt: code of either waits for the other.

    Lwt runs in one thread, on its own loop; Dromos computes on other domains.
    The ways across:
    - from Lwt code: {!offload} computes a function in a Dromos run and returns
      a promise; {!sync} and {!fiber} wait for any structure of [Dromos_sync];
    - from Dromos tasks, other domains and systhreads: {!in_lwt} runs Lwt code,
      and {!await} waits for an Lwt promise.

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

    {b Threads.} Promises belong to the thread that runs Lwt. Every function
    below names its callers, and raises [Dromos.Misplaced] for any other caller;
    the exception's text names the function to use. [Lwt_unix.sleep],
    [Lwt.pause] and Lwt's waits for descriptors raise [Dromos.Misplaced]
    likewise, once this library knows Lwt's thread (a guard stands before Lwt's
    engine). {!run} raises [Dromos.Misplaced] if another thread resolves its
    promise ([Lwt.wakeup] in a fiber). Lwt itself does not check the thread:
    other calls of Lwt on a wrong thread go unnoticed. All messages to Lwt's
    thread go through one inbox, with one thread-safe notification for all
    messages in the inbox.

    {b Cancellation} crosses both ways. [Lwt.cancel] on a promise of this
    library cancels the task or the wait behind the promise. If the task or the
    wait has succeeded by then, the promise gets the result, so that no received
    message is lost. A cancelled Dromos task leaves its wait at once; {!in_lwt}
    then cancels the Lwt code that it started, and {!await} does not touch the
    promise.

    {b Exceptions} keep their backtraces, as far as Lwt allows: a rejected
    promise of Lwt holds only the exception. While the callbacks of a promise of
    this library run, the current backtrace is the backtrace of the [raise], in
    whatever domain. A handler of [Lwt.catch] or [Lwt.try_bind] around the
    promise finds that backtrace; {!run} and {!in_lwt} raise with it. The
    backtrace is lost when the domain raises another exception first.
    [Printexc.record_backtrace] must be on.

    {b Storage} ([Dromos.Fls]) crosses both ways. Lwt code run by {!in_lwt} has
    the caller's storage, and so do the callbacks bound by that code. {!offload}
    and {!fiber} begin with the storage of the calling Lwt code. In Lwt code,
    [Fls.find_opt] and [Fls.let_] work as in a fiber: if [f] returns a promise,
    [Fls.let_ key v f] binds [key] for all later callbacks of [f]. [Fls.set] is
    refused. The storage is kept under a key of [Lwt.with_value].

    {b Lwt's own keys} ([Lwt.with_value]) cross too. The Lwt code that a
    function of {!offload} runs by {!in_lwt}, in the function itself or in its
    tasks, and the callbacks of that code, have the values of the code that
    called {!offload}. A {!fiber} keeps its values over its waits. In the
    function, read a key by {!get}: [Lwt.get] reads a variable that belongs to
    Lwt's thread, and on another thread finds the values of unrelated Lwt code.

    {[
      # let user : string Dromos.Fls.key = Dromos.Fls.new_key ()
        let who () = Option.value (Dromos.Fls.find_opt user) ~default:"none"
      val user : string Dromos_sched.Fls.key = <abstr>
      val who : unit -> string = <fun>
      # Dromos_lwt.run (fun () ->
          Dromos.Fls.let_ user "alice" (fun () ->
              Lwt.bind (Lwt.pause ()) (fun () -> Dromos_lwt.offload who)))
      - : string = "alice"
    ]}

    {b Limits.} Lwt 5 and 6 have one loop per process. A function that waits
    through [Dromos_suspend] in Lwt code, outside {!sync} and {!fiber}, blocks
    the loop, as any blocking call does; after a second a report names the place
    ({!Dromos_service.Reporter}).

    Checked: tests with values, exceptions and cancellations of either side in
    every state, storms, and counts of live words; not model-checked. *)

(** {1 Lwt's thread} *)

val run : (unit -> 'a Lwt.t) -> 'a
(** [Lwt_main.run (f ())], with the calling thread registered as Lwt's thread
    from the start: the entry point of an Lwt program. Exceptions keep their
    backtrace. When [run] returns, a task that waits for Lwt gets
    [Dromos.Misplaced]; a waiting {!fiber} is cancelled; the operation of a
    waiting {!sync} is withdrawn, so that no result goes to Lwt code that will
    not run any more. Pending promises stay pending.

    Raises [Dromos.Misplaced] where Lwt runs already: Lwt has one loop.

    A program that calls [Lwt_main.run] itself need not change: the first
    {!offload}, {!sync} or {!fiber} registers the calling thread as Lwt's, and
    {!in_lwt} and {!await} work from then on. *)

val with_loop : (unit -> 'a) -> 'a
(** [with_loop f] is [f ()] in the calling thread, while Lwt runs on a domain of
    its own: the entry point of a program that is no Lwt program and needs Lwt
    libraries through {!in_lwt}. The loop ends when [f] does, or when the
    program exits. If the loop fails, for example by [Lwt.async_exception_hook],
    [with_loop] raises the loop's exception when [f] is over, whatever the
    result of [f]. Raises [Dromos.Misplaced] where Lwt runs already.

    {[
      # Dromos_lwt.with_loop (fun () ->
          Dromos.run (fun () ->
              Dromos.both
                (fun () -> Dromos_lwt.in_lwt (fun () -> Lwt.return 20))
                (fun () -> 22)))
      - : int * int = (20, 22)
    ]} *)

(** {1 From Lwt code} *)

(** The runtimes in which Lwt programs compute. *)
module Pool : sig
  type t = Dromos.Runtime.t
  (** Any runtime will do: with a bounded queue, hooks or preemption
      ({!Dromos.Runtime.create}). Other threads may use the runtime too. *)

  val start :
    ?workers:int -> ?hub:Dromos.Hub.t -> ?minor_heap_words:int -> unit -> t
  (** {!Dromos.Runtime.create}, from any thread. *)

  val default : unit -> t
  (** The runtime used by {!offload}. The first use starts the runtime, and so
      does the first use after a stop, with [DROMOS_WORKERS] workers, or without
      the variable one fewer than [Dromos.default_workers ()], since Lwt's
      thread is busy too. *)

  val stop : t -> unit Lwt.t
  (** {!Dromos.Runtime.stop}, draining: the pool accepts no new function, and
      the promise is resolved when all accepted functions are over. On Lwt's
      thread. (A program may also end without a stop.) *)
end

val offload : ?pool:Pool.t -> ?blocking:bool -> (unit -> 'a) -> 'a Lwt.t
(** [offload f] runs [f] as a Dromos fiber, on another domain: [f] may fork
    ([Dromos.both], [Par]), wait, and call {!in_lwt}. [f] runs in a scope of its
    own: the promise is resolved when all tasks of the scope are over.

    {b A function that blocks} ([Unix.sleepf], a database driver, a file) holds
    a worker meanwhile: with one worker, eight calls of 0.1 s take 0.8 s.
    [offload ~blocking:true f] runs [f] through {!Dromos.blocking}, on a thread
    of its own, and the eight calls take 0.1 s together; [f] is then outside any
    run, cannot fork, and cannot be stopped. A function that also computes keeps
    its worker and wraps only the blocking call:
    [offload (fun () -> compute (Dromos.blocking read))].

    {[
      # let read name = In_channel.with_open_bin name In_channel.input_line in
        Dromos_lwt.run (fun () ->
            Lwt.map Option.is_some
              (Dromos_lwt.offload ~blocking:true (fun () -> read "/proc/uptime")))
      - : bool = true
    ]}

    If the pool has a bounded queue and the queue is full, the promise waits for
    room, and Lwt's loop continues.

    [Lwt.cancel] on the promise cancels the scope of [f] (or leaves the queue).
    The promise is rejected with [Lwt.Canceled] at once, and [f] stops at its
    next cancellation point.

    On Lwt's thread. Raises {!Dromos.Runtime.Stopped} if the pool was stopped.
    If the pool is stopped while the promise waits for room, the promise is
    rejected with {!Dromos.Runtime.Stopped}. *)

val sync : 'a Dromos_sync.Event.t -> 'a Lwt.t
(** [sync event] performs the operation, for example
    [sync (Channel.recv_event c)], and returns the result as a promise.
    [Lwt.cancel] withdraws the operation; if the operation took place before,
    the promise gets the result nevertheless. [Lwt.pick] therefore may lose a
    result where [sync (Event.choose ..)] does not. An exception of the event's
    own functions, guards included, rejects the promise. On Lwt's thread.

    To a mutex, all Lwt code is a single owner, for whatever promise it runs;
    lock mutexes in a {!fiber}. *)

val of_promise : 'a Dromos_sync.Promise.t -> 'a Lwt.t
(** The result of a Dromos promise, as an Lwt promise. [Lwt.cancel] leaves the
    wait. On Lwt's thread. *)

val fiber : (unit -> 'a) -> 'a Lwt.t
(** [fiber f] runs [f] on Lwt's own thread, in direct style: up to the end of
    [f] or its first wait during the call, and the rest from the loop. Inside
    [f], a blocking operation of [Dromos_sync] suspends only the fiber, and
    {!await} and {!in_lwt} wait for Lwt promises. To a mutex, the fiber is an
    owner of its own.

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
    at the fiber's next wait, once; the fiber's result then resolves the
    promise. On Lwt's thread. *)

(** {1 From other threads and domains} *)

val in_lwt : (unit -> 'a Lwt.t) -> 'a
(** [in_lwt f] runs [f ()] on Lwt's thread and waits for the promise; the
    calling task is suspended (or the calling thread is parked) meanwhile.
    Raises the exception of [f] or of the promise.

    A cancelled caller leaves at once, and the promise is cancelled
    ([Lwt.cancel]), or [f] is never called.

    Callers are any task, thread or domain except Lwt's thread; on Lwt's thread,
    a {!fiber}. Raises [Dromos.Misplaced] if no Lwt loop runs, or if the loop
    ends before the promise is resolved. *)

val get : 'a Lwt.key -> 'a option
(** [get key] is the value that [Lwt.get key] had in the Lwt code that called
    {!offload} for the caller; [None] for a caller without such code, such as a
    thread of the program's. On Lwt's thread [get] is [Lwt.get]. Elsewhere [get]
    asks Lwt's thread, with the rules and the cost of {!in_lwt}: a program that
    reads often binds the value to a key of [Dromos.Fls] instead.

    {[
      # let request : string Lwt.key = Lwt.new_key ()
        let seen () = Option.value (Dromos_lwt.get request) ~default:"none"
      val request : string Lwt.key = <abstr>
      val seen : unit -> string = <fun>
      # Dromos_lwt.run (fun () ->
          Lwt.with_value request (Some "alice") (fun () ->
              Dromos_lwt.offload seen))
      - : string = "alice"
    ]} *)

val await : 'a Lwt.t -> 'a
(** Like {!in_lwt}, for an existing promise: if the caller is cancelled, the
    promise stays as it is. *)
