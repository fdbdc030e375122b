(** A run that is kept for work from outside: started once, given functions from
    any thread, stopped at the end. For programs that are not one {!Dromos.run}:
    servers, event loops, libraries with threads of their own.

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

    {b Where what runs.} A runtime has a domain of its own, which is one of its
    workers and sleeps while there is no work; the others are borrowed while
    there is work, from the set of domains that all runs share. The bound of
    {!Dromos.run} holds for the borrowed domains and the callers of runs
    together: two runtimes with [~workers:4] use at most four domains beside
    their own two, and an idle runtime takes nothing from a run beside it. A
    function that is submitted runs as a fiber, in a {!Dromos.Scope} of its own:
    it may fork, wait, and start tasks with [Dromos.async]; its promise is
    resolved when all that it started is over. It has the fiber-local storage of
    its submitter ([Dromos.Sched.Fls]), if that is a fiber.

    A function that blocks its thread (a system call, [Unix.sleepf]) blocks a
    worker; wrap it in {!Dromos.blocking}.

    {b Who may call}: everything here, unless said otherwise, from any thread,
    domain, fiber of any run, and task of another scheduler. What may wait
    suspends the caller only where its scheduler handles [Dromos_suspend], and
    parks the calling thread elsewhere. {!try_submit} and {!try_post} never
    wait, so a signal handler may call them. Submitting is lock-free, but for
    the wait; it costs some microseconds, most of it for waking a worker, and of
    a thread of a program that has signal handlers some more to put them off.

    {b Deadlocks} are not reported ({!Dromos.run}) while a runtime is there,
    since work may come from outside at any time.

    {b Control-C.} A signal handler's exception ends no runtime. The main thread
    that waits for one ({!run}, {!stop}, a promise) is woken within 100 ms and
    raises the exception; {!with_} then cancels the tasks, waits for their
    clean-up, and raises it.

    {b Exit.} The program does not wait for a runtime that was not stopped.
    [exit] cancels its tasks, and waits half a second at most for their clean-up
    code, so that what they print is printed; then the process ends, whatever
    still computes. {!stop} before the end to have tasks end by themselves.

    {b fork.} OCaml refuses [Unix.fork] once a domain has been started, thus
    after {!create}. [Unix.create_process] works. *)

module Promise := Dromos_sync.Promise
module Event := Dromos_sync.Event

type t

exception Stopped of string
(** The runtime of that name was stopped, or is being stopped, and takes no more
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
(** Starts one, and returns when it takes tasks, in a fraction of a millisecond.
    [workers], [hub], [preempt] and [minor_heap_words] are those of
    {!Dromos.run} (by default all workers' minor heaps have the size of the
    domain that calls [create]); for a server [~hub:Dromos.Hub.fifo] is oldest
    first, and [~preempt:true] lets small tasks have their turn beside big ones.

    [name] (default: ["runtime-1"] and so on) appears in messages, and in
    {!to_prometheus}.

    [queue] is the greatest number of tasks that have been accepted and have not
    begun. {!submit} waits for room, {!try_submit} refuses. By default there is
    no bound, since only the program knows who may be made to wait; a server
    that takes work faster than it does it needs one. Tasks that have begun and
    wait do not count: so a task may submit others and await them, without a
    deadlock, whatever the bound. To bound these too, take a permit of a
    [Dromos.Semaphore] before submitting.

    [on_unhandled] is called at once with the exception of a task of {!post}, of
    a hook, or of the run itself (a finaliser that raised), on the thread where
    it was caught; and with failures of [Dromos.async] tasks that nobody awaits,
    as by [on_unhandled] of {!Dromos.run}: without it they are reported after a
    second, and fail the task that they belong to. By default the exception and
    its backtrace are reported ({!Dromos_service.Reporter}). What the function
    raises itself is reported too.

    [on_worker_start n] is called on the thread of worker [n]
    ([0 .. workers - 1]) before it runs its first task, and [on_worker_stop n]
    when it has run its last: for [Domain.DLS], names of threads, connections.
    Worker 0 starts with the runtime; the others come with work, and go after
    0.1 to 0.2 seconds without any, so each hook may be called many times,
    always in pairs on one domain. While one worker [n] leaves, the next one
    with that number may have come: what belongs to a worker is better kept in
    [Domain.DLS] than under its number. Hooks run outside of any run, hold up
    their worker only, and must not wait for the runtime. If one raises,
    [on_unhandled] is told, and the worker goes on. With [~preempt:true] other
    threads of the same domain act for a worker; they have no hooks.

    Raises [Invalid_argument] if [workers] is not in [1 .. 128],
    [minor_heap_words] not in [4096 .. 134217728], [queue] is less than 1, or
    [name] is not UTF-8, and [Failure] where the process has no domain left
    (OCaml has at most 128). *)

val stop : ?drain:bool -> ?timeout:float -> t -> unit
(** Refuses new tasks from now on, and returns when all tasks are over, the
    hooks of all workers have returned, and the run is over; the domain ends
    within 50 ms after that. Who waits for room in the queue is sent away with
    {!Stopped}.

    With [drain] (the default) the tasks that were accepted run to their ends;
    after [timeout] seconds what is left is cancelled. With [~drain:false] all
    are cancelled at once: tasks that have not begun never do, the others leave
    at their next cancellation point and clean up, and the promises are resolved
    with what comes of that, [Dromos.Cancelled] as a rule.

    Idempotent: a second call waits for the same end, and one with
    [~drain:false] cancels what an earlier one was waiting for. A caller that is
    cancelled leaves; the runtime stops nevertheless.

    Inside a task of the runtime itself [stop] does not wait, since the runtime
    would wait for the caller: it begins to stop, and returns. Nor may a task
    wait in another way for somebody who stops its runtime, such as a thread of
    [Dromos.blocking] that calls [stop].

    Raises [Invalid_argument] if [timeout] is negative or nan. *)

val stop_event : ?drain:bool -> t -> unit Event.t
(** {!stop} as an event: the runtime begins to stop when somebody synchronizes,
    and the event is possible when it has ended. *)

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
(** [with_ f] creates a runtime, calls [f] with it, and stops it: draining if
    [f] returns, with [~drain:false] if [f] raises or the caller is cancelled.
    Returns or raises what [f] does. *)

val name : t -> string
val workers : t -> int

val is_stopped : t -> bool
(** Whether {!stop} was called, or the run has failed: it takes no tasks. *)

val inside : t -> bool
(** Whether the caller is a fiber of this runtime. *)

(** {1 Tasks}

    [name] appears in [Dromos.dump] and in messages. [timeout] is how many
    seconds to wait for room in the queue: [Dromos.Timeout] is raised after
    that, and the task is not accepted; a negative number or nan raises
    [Invalid_argument]. A caller that is cancelled while it waits has submitted
    nothing, and the room goes to the next one. All of them raise {!Stopped}
    where tasks are not taken any more. *)

val submit : ?name:string -> ?timeout:float -> t -> (unit -> 'a) -> 'a Promise.t
(** The task's promise, which any fiber and thread may await, and Lwt code
    through [Dromos_lwt.of_promise]. An exception is the promise's, with its
    backtrace, and goes nowhere else: use {!post} for what nobody awaits. *)

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
    cancelled, the task is, and the caller leaves when the task is over. *)

(** {1 Figures} *)

type stats = {
  accepted : int;
      (** tasks, the sum of [queued], [running], [finished], [failed] and
          [cancelled] *)
  refused : int;
      (** tasks: the queue was full, the time was up, or the runtime stopped *)
  queued : int;  (** have not begun *)
  running : int;  (** have begun, and run or wait *)
  finished : int;  (** returned a value *)
  failed : int;  (** raised an exception *)
  cancelled : int;
      (** were cancelled before they began, or left with [Dromos.Cancelled]
          after that *)
  wait_sum : float;  (** seconds from acceptance to begin, of all that began *)
  wait_max : float;
  run_sum : float;  (** seconds from begin to end, of all that ended *)
  run_max : float;
  scheduler : Dromos_fiber.Run.stats;  (** {!Dromos.val-stats} of the run *)
}

val stats : t -> stats
(** A snapshot of one moment, but for [scheduler], which is read a little later;
    after {!stop} the last one. Costs less than a microsecond. *)

val to_prometheus : ?prefix:string -> t -> string
(** The figures in Prometheus' text form, each with a HELP and a TYPE line, the
    runtime's name as the label [runtime]; counters end in [_total], times are
    seconds. [prefix] is ["dromos_runtime"] if not given. Raises
    [Invalid_argument] if it is not the name of a metric. *)

val to_prometheus_all : ?prefix:string -> t list -> string
(** Several in one text, as the format asks for: a metric's lines stand
    together. Their names must differ ([Invalid_argument]). *)

(** {1 For bridges} *)

val start_event :
  ?name:string ->
  t ->
  (unit -> 'a) ->
  (('a, exn * Printexc.raw_backtrace) result -> unit) ->
  (unit -> bool) Event.t
(** [start_event t f over] has the task's outcome told to [over], once, on a
    worker or in who cancels the task, in place of a promise; [over] must not
    block. What it raises goes to [on_unhandled]. The event gives a function
    that cancels the task: a task that has not begun never does, and is over at
    once; one that runs has its scope cancelled, and is over when it has left.
    [false] if it was over before. *)
