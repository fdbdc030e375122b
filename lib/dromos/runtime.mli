(** A run that is kept for work from outside. The program starts a runtime once,
    any thread gives it functions to run, and the program stops it at the end.
    For programs that are not one {!Dromos.run}: servers, event loops, libraries
    with threads of their own.

    {[
      # let runtime = Dromos.Runtime.create ~name:"images" ~workers:2 () in
        let sum n = List.fold_left ( + ) 0 (Dromos.Par.List.map succ (List.init n Fun.id)) in
        let answer = Dromos.Runtime.submit runtime (fun () -> sum 1000) in
        let thread = Thread.create (fun () -> Dromos.Runtime.run runtime (fun () -> sum 10)) () in
        Thread.join thread;
        let answer = Dromos.Promise.await answer in
        Dromos.Runtime.stop runtime;
        (answer, (Dromos.Runtime.stats runtime).finished)
      - : int * int = (500500, 2)
    ]}

    {b Domains.} A runtime has a domain of its own, which is one of its workers
    and sleeps while there is no work. The other workers are borrowed while
    there is work, from the set of domains that all runs share. The bound of
    {!Dromos.run} holds for the borrowed domains and the callers of runs
    together: two runtimes with [~workers:4] use at most four domains beside
    their own two, and an idle runtime takes nothing from a run beside it. A
    submitted function runs as a fiber, in a {!Dromos.Scope} of its own. The
    function may fork, wait, and start tasks with [Dromos.async]; its promise is
    resolved when all these tasks are over. If the submitter is a fiber, the
    function has its fiber-local storage ([Dromos.Sched.Fls]).

    A function that blocks its thread (a system call, [Unix.sleepf]) blocks a
    worker; wrap it in {!Dromos.blocking}.

    {b Callers}: any thread, domain, fiber of any run, and task of another
    scheduler may call every function, unless stated otherwise. A call that
    waits suspends the calling task where its scheduler handles
    [Dromos_suspend], and parks the calling thread elsewhere. {!try_submit} and
    {!try_post} never wait, so a signal handler may call them. To submit is
    lock-free, except for a wait. It costs some microseconds, most of them to
    wake a worker; if the program has signal handlers, a thread outside a run
    pays some more to block signals.

    {b Deadlocks} are not reported ({!Dromos.run}) while a runtime exists, since
    work may come from outside at any time.

    {b Control-C.} A signal handler's exception ends no runtime. If the main
    thread waits for a runtime ({!run}, {!stop}, a promise), it is woken within
    100 ms and raises the exception; {!with_} then cancels the tasks, waits for
    their clean-up, and raises the exception.

    {b Exit.} The program does not wait for a runtime that was not stopped.
    [exit] cancels its tasks, and waits at most half a second for their clean-up
    code and its output; then the process ends, even if tasks still compute. To
    let tasks end by themselves, call {!stop} before the end.

    {b fork.} OCaml refuses [Unix.fork] once a domain has been started, and so
    after {!create}. [Unix.create_process] works. *)

module Promise := Dromos_sync.Promise
module Event := Dromos_sync.Event

type t

exception Stopped of string
(** The runtime of this name has stopped, or is stopping, and takes no more
    tasks. *)

(** {1 Life} *)

val create :
  ?name:string ->
  ?workers:int ->
  ?hub:Hub.t ->
  ?preempt:bool ->
  ?minor_heap_words:int ->
  ?queue:int ->
  ?on_unhandled:(exn -> Printexc.raw_backtrace -> unit) ->
  ?on_worker_start:(int -> unit) ->
  ?on_worker_stop:(int -> unit) ->
  unit ->
  t
(** Starts a runtime, and returns when the runtime takes tasks, in a fraction of
    a millisecond. [workers], [hub], [preempt] and [minor_heap_words] are as for
    {!Dromos.run} (by default all workers' minor heaps have the size of the
    domain that calls [create]); for a server, [~hub:Dromos.Hub.fifo] runs the
    oldest task first, and [~preempt:true] gives small tasks their turn beside
    big tasks.

    [name] (default: ["runtime-1"] and so on) appears in messages, and in
    {!to_prometheus}.

    [queue] is the greatest number of tasks that have been accepted and have not
    begun. When the queue is full, {!submit} waits for room, and {!try_submit}
    refuses. By default there is no bound, since only the program knows which
    callers may wait; a server that accepts work faster than it finishes work
    needs a bound. Tasks that have begun do not count, even while they wait: so
    a task may submit and await other tasks, without a deadlock, for any bound.
    To bound these tasks too, take a permit of a [Dromos.Semaphore] before
    {!submit}.

    [on_unhandled] is called at once with each exception of a task of {!post},
    of a hook, or of the run itself (a finaliser that raised), on the thread
    that caught the exception. By default the exception and its backtrace are
    reported ({!Dromos_service.Reporter}). [on_unhandled] is also called with
    failures of [Dromos.async] tasks without an awaiter, as by [on_unhandled] of
    {!Dromos.run}; by default such failures are reported after a second, and
    fail the task that made the [async] task. An exception of [on_unhandled] is
    reported too.

    [on_worker_start n] is called on the thread of worker [n]
    ([0 .. workers - 1]) before its first task, and [on_worker_stop n] after its
    last task: for [Domain.DLS], names of threads, connections. Worker 0 starts
    with the runtime. Other workers start when there is work, and stop after 0.1
    to 0.2 seconds without work. So each hook may be called many times, always
    in pairs on one domain. A new worker [n] may start while the old worker [n]
    stops: keep the data of a worker in [Domain.DLS], not under its number.
    Hooks run outside any run, hold up only their worker, and must not wait for
    the runtime. If a hook raises, [on_unhandled] is called, and the worker goes
    on. With [~preempt:true] other threads of the same domain may act for a
    worker, without hooks.

    Raises [Invalid_argument] if [workers] is not in [1 .. 128],
    [minor_heap_words] not in [4096 .. 134217728], [queue] is less than 1, or
    [name] is not UTF-8, and [Failure] if the process has no domain left (OCaml
    has at most 128). *)

val stop : ?drain:bool -> ?timeout:float -> t -> unit
(** Refuses new tasks from now on, and returns when all tasks are over, the
    hooks of all workers have returned, and the run is over; the domain ends
    within 50 ms after that. Callers that wait for room in the queue raise
    {!Stopped}.

    With [drain] (the default) accepted tasks run to their ends; after [timeout]
    seconds the remaining tasks are cancelled. With [~drain:false] all tasks are
    cancelled at once: tasks in the queue never begin, other tasks stop at their
    next cancellation point and clean up, and the promises are resolved with the
    outcome, [Dromos.Cancelled] as a rule.

    Idempotent: a second call waits for the same end, and a second call with
    [~drain:false] cancels the tasks that the first call waits for. If a caller
    is cancelled, its call ends, and the runtime still stops.

    Inside a task of the runtime itself, [stop] begins to stop the runtime and
    returns at once, since the runtime waits for the task. A task must also not
    wait in another way for a caller of [stop], such as a function of
    [Dromos.blocking].

    Raises [Invalid_argument] if [timeout] is negative or nan. *)

val stop_event : ?drain:bool -> t -> unit Event.t
(** {!stop} as an event: the runtime begins to stop when a task synchronizes on
    the event, and the event is possible when the runtime has ended. *)

val with_ :
  ?name:string ->
  ?workers:int ->
  ?hub:Hub.t ->
  ?preempt:bool ->
  ?minor_heap_words:int ->
  ?queue:int ->
  ?on_unhandled:(exn -> Printexc.raw_backtrace -> unit) ->
  ?on_worker_start:(int -> unit) ->
  ?on_worker_stop:(int -> unit) ->
  (t -> 'a) ->
  'a
(** [with_ f] creates a runtime [t], calls [f t], and stops [t]: with
    [~drain:true] if [f] returns, with [~drain:false] if [f] raises or the
    caller is cancelled. [with_] returns the value, or raises the exception, of
    [f]. *)

val name : t -> string
val workers : t -> int

val is_stopped : t -> bool
(** [true] if {!stop} was called or the run has failed: the runtime takes no
    tasks. *)

val inside : t -> bool
(** [true] if the caller is a fiber of this runtime. *)

(** {1 Tasks}

    [name] appears in [Dromos.dump] and in messages. [timeout] is the time to
    wait for room in the queue, in seconds: after that [Dromos.Timeout] is
    raised, and the task is not accepted. A negative number or nan raises
    [Invalid_argument]. A caller that is cancelled while it waits has submitted
    no task, and the room goes to the next caller. All functions raise
    {!Stopped} if the runtime takes no more tasks. *)

val submit : ?name:string -> ?timeout:float -> t -> (unit -> 'a) -> 'a Promise.t
(** The promise of the task. Any fiber and thread may await the promise, and Lwt
    code through [Dromos_lwt.of_promise]. The promise alone gets an exception of
    the task, with its backtrace: use {!post} for a task without an awaiter. *)

val try_submit : ?name:string -> t -> (unit -> 'a) -> 'a Promise.t option
(** [None] if the queue is full. *)

val submit_event : ?name:string -> t -> (unit -> 'a) -> 'a Promise.t Event.t
(** {!submit} as an event: the task is accepted when the event is chosen. *)

val post : ?name:string -> ?timeout:float -> t -> (unit -> unit) -> unit
(** {!submit} without a promise: an exception of the task goes to [on_unhandled]
    at once. *)

val try_post : ?name:string -> t -> (unit -> unit) -> bool
(** [false] if the queue is full. *)

val run : ?name:string -> ?timeout:float -> t -> (unit -> 'a) -> 'a
(** {!submit} and await: the result, or the exception. If the caller is
    cancelled, the task is cancelled too, and the caller leaves when the task is
    over. *)

(** {1 Figures} *)

type stats = {
  accepted : int;
      (** tasks, the sum of [queued], [running], [finished], [failed] and
          [cancelled] *)
  refused : int;
      (** tasks: the queue was full, the time was up, or the runtime stopped *)
  queued : int;  (** not begun yet *)
  running : int;  (** begun, and running or waiting *)
  finished : int;  (** returned a value *)
  failed : int;  (** raised an exception *)
  cancelled : int;
      (** cancelled in the queue, or ended with [Dromos.Cancelled] *)
  wait_sum : float;
      (** seconds from acceptance to beginning, of all begun tasks *)
  wait_max : float;
  run_sum : float;  (** seconds from beginning to end, of all ended tasks *)
  run_max : float;
  scheduler : Dromos_fiber.Run.stats;  (** {!Dromos.val-stats} of the run *)
}

val stats : t -> stats
(** A snapshot of one moment, except [scheduler], which is read a little later;
    after {!stop} the last snapshot. Costs less than a microsecond. *)

val to_prometheus : ?prefix:string -> t -> string
(** The figures in Prometheus' text form, each with a HELP and a TYPE line, the
    runtime's name as the label [runtime]; counters end in [_total], times are
    seconds. [prefix] is ["dromos_runtime"] by default. Raises
    [Invalid_argument] if [prefix] is not the name of a metric. *)

val to_prometheus_all : ?prefix:string -> t list -> string
(** The figures of several runtimes in one text: the format wants all lines of a
    metric together. Raises [Invalid_argument] if two runtimes have the same
    name. *)

(** {1 For bridges} *)

val start_event :
  ?name:string ->
  t ->
  (unit -> 'a) ->
  (('a, exn * Printexc.raw_backtrace) result -> unit) ->
  (unit -> bool) Event.t
(** [start_event t f over] is {!submit_event} with a function in place of a
    promise: [over] is called once with the task's outcome, on a worker or in
    the call that cancels the task. [over] must not block; an exception of
    [over] goes to [on_unhandled]. The event gives a function that cancels the
    task. A task in the queue never begins then, and is over at once. A task
    that runs has its scope cancelled, and is over when all its fibers have
    ended. [false] if the task was over before. *)
