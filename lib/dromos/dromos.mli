(** Fork/join parallelism, tasks and structured concurrency for OCaml 5.

    {[
      # let rec fib n =
          if n < 2 then n
          else
            let a, b = Dromos.both (fun () -> fib (n - 1)) (fun () -> fib (n - 2)) in
            a + b
        in
        Dromos.run (fun () -> fib 20)
      - : int = 6765
    ]}

    {b Workers and fibers.} {!run} turns the calling domain into a worker and
    borrows other domains from one process-wide pool of domains. A {e fiber} is
    a thread of control inside a run: the function given to {!run}, a task made
    by {!async}, or a branch of {!both} that an idle worker took. When a fiber
    waits, its worker takes other work, and the fiber may continue on another
    domain. So [Domain.DLS], [Domain.self], [Thread.self] and a Stdlib [Mutex]
    held across a wait are not stable over a waiting call; {!Fls} and
    {!Worker_local} are.

    {b Waiting} calls suspend the calling fiber only: {!await}, {!both} and
    {!all} when another worker took a branch, {!Scope.run} at its end,
    {!blocking}, {!yield}, and every call built on {!Dromos_suspend}. No other
    task ever runs on top of a waiting fiber, so the fiber's locks are not
    re-entered.

    {b Turns.} A worker runs its newest task first: a task that it has just
    forked or woken. Now and then the worker looks at the shared queue, at the
    other workers' tasks and at its own oldest tasks. So a runnable task, fiber
    or branch begins after a bounded number of turns of some worker that is not
    computing, whatever other fibers yield, wake or start: on each hub of
    {!Hub}, for latent branches, below chains of tasks each of which starts the
    next. A worker whose fiber computes, without a fork, a wait or a yield,
    takes no turn. While all workers compute, no fiber begins, not even a fiber
    whose {!sleep} is over; [run ~preempt:true] bounds this time.

    {b Exceptions} travel with their backtraces. {b Cancellation} is
    cooperative: a fiber notices at its next fork, wait, {!yield} or {!check}; a
    waiting fiber is woken at once.

    {b Effects} of the program's own are handled inside the task that performs
    them. Branches ({!both}, {!all}, the bodies of {!Par}) are part of the task
    that forks, on whichever worker they run: a handler around the fork gets the
    effects of the branches, in the order of the sequential program. A branch on
    another worker, without a handler of its own, waits with its effect until
    all branches to its left have ended. Then the forking task performs the
    effect in place of the branch, and the handler's result, a value or an
    exception, goes back to the branch. So two branches never call such a
    handler at once, and the more effects, the less runs in parallel
    ([DROMOS_DEBUG=1] prints a line at the first such wait). A handler inside
    the body costs nothing. Handlers around a call are never in force in tasks
    of [async] and {!Scope}, [Dag] vertices, stages of a {!Pipeline},
    {!blocking}, and {!run} itself: there [perform] raises [Effect.Unhandled],
    whose printed form says where to put the handler. {!Scope.run}, {!timeout}
    and a {!run} inside a run are plain calls.

    {[
      # type _ Effect.t += Fresh : int Effect.t
      type _ Stdlib.Effect.t += Fresh : int eff
      # let numbered f =
          let n = ref 0 in
          let open Effect.Deep in
          try f () with effect Fresh, k -> incr n; continue k !n
      val numbered : (unit -> 'a) -> 'a = <fun>
      # Dromos.run (fun () ->
            numbered (fun () ->
                Dromos.Par.List.map ~grain:1 (fun s -> (Effect.perform Fresh, s))
                  [ "a"; "b"; "c" ]))
      - : (int * string) list = [(1, "a"); (2, "b"); (3, "c")]
    ]}

    {b Signals.} OCaml's handlers run on the program's own threads, which
    include the caller of {!run} and the threads that run tasks. These threads,
    and processes that tasks start, have the caller's signal mask. A signal that
    comes while a run sleeps wakes the run within 100 ms, and the handler is
    called. A handler may set a flag, call {!Scope.cancel}, or wake fibers
    ({!Promise.resolve}, {!Ivar.try_fill}, [try_] operations); a handler must
    not wait.

    A handler that raises ([Sys.catch_break], an alarm) ends the run: every
    fiber is cancelled, clean-up code runs, and {!run} raises the handler's
    exception, whatever code the signal interrupted. The exception is not raised
    inside a fiber: code without a cancellation point goes on to its end. If a
    handler of [SIGINT], [SIGTERM], [SIGHUP] or [SIGQUIT] raises again before
    the run has cleaned up, the signal ends the process.

    Dromos therefore puts a guard around handlers at the beginning of a run, and
    around later handlers within 50 ms, while the caller sleeps or serves many
    tasks. [Sys.signal] returns the guard, which may be installed again like the
    handler. The exception goes to the run that the program's main thread has
    called, if there is one; else the exception is raised in a thread of the
    program, or ends the run that this thread has called. The exception never
    ends a {!Runtime}: the main thread that waits for a runtime ({!Runtime.run},
    {!await}, {!sleep}, {!Io}, any structure) is woken within 100 ms, its wait
    raises the exception, and {!Runtime.with_} stops the runtime.

    {b Finalisers, alarms, Memprof.} OCaml calls finalisers ([Gc.finalise],
    [Gc.finalise_last], [Gc.create_alarm]) at any point of a thread, also inside
    Dromos. A finaliser that raises on a thread that runs tasks ends the run
    like a handler that raises: the fibers are cancelled, and {!run} raises the
    exception, with its backtrace; later such exceptions are {!suppressed}. So
    the memory limit of OCaml's manual, an alarm that raises [Out_of_memory],
    ends a run in good order. The exception does not end a {!Runtime}, and is
    reported ({!Reporter}), as is that of a finaliser which was made in
    {!blocking}; the latter must not wait either ({!Misplaced}). On a thread in
    no run a finaliser's exception is raised in the program's own code: after
    the operation of Dromos, if the finaliser interrupted one. An exception of a
    [Gc.Memprof] callback is raised in place if the program's own code made the
    allocation, so that memprof-limits can end a task; if Dromos made the
    allocation, the exception ends the run. In native code on Linux; elsewhere
    such an exception is raised in the interrupted code.

    {b Full stacks.} An operation that has no room on the stack raises
    [Stack_overflow] before its first step, so a task that catches the exception
    finds every structure as it was.

    {b Output.} The output of tasks is written when {!run} returns or raises,
    also text printed through [Format] without a flush (each domain has its own
    formatters). The caller's output is written before the run begins. So output
    of tasks stands between the output of the code before and after the run.
    Tasks have no order among themselves. Each domain's text is written in the
    order in which it was printed on that domain, in whole pieces: when a worker
    has no more work, after 64 KB, at a flush, at the end of a function in
    {!blocking}, and at the end of the run. A task may continue on another
    domain after a wait: print a line, or a box, between two waits, or with one
    [Format.asprintf] and [print_string], which any domain may call. A box that
    is open around {!run} stays open; a box that a task leaves open is closed.

    {b Checked}: the kernel below (deques, queues, hubs, parking) is proved in
    Iris, model-checked and tested, see its interfaces; this layer is tested
    under stress on every hub. *)

module Promise = Dromos_sync.Promise
module Suspend = Dromos_suspend

(** {1 Running} *)

module Hub = Hub
(** Scheduling policies; each says when to choose it. *)

val run :
  ?workers:int ->
  ?hub:Hub.t ->
  ?preempt:bool ->
  ?minor_heap_words:int ->
  ?on_unhandled:(exn -> Printexc.raw_backtrace -> unit) ->
  (unit -> 'a) ->
  'a
(** [run f] runs [f] as a fiber, and waits until [f] and every task that [f]
    started have ended. Then [run] returns the result of [f], or re-raises its
    exception. If a task failed whose promise was never awaited, [run] raises
    the task's exception at the end: no failure is lost.

    [workers] (default: {!default_workers}) is the number of domains that take
    part, with the caller's domain; [1] spawns none ({!sleep} and {!blocking}
    start the service domain on first use). The number is an upper bound: all
    concurrent runs of a process together never use more domains than the
    largest [workers] that one of them asks for, plus the callers beyond that
    number, plus one domain for each {!Runtime}. OCaml allows 128 domains in a
    process, or [OCAMLRUNPARAM=d=..]; runs leave the last place for the service
    domain. Beside the program's own domains a run may therefore have fewer
    workers. If the program has taken all places before the first timer, a
    domain of the run becomes the service domain, or the main domain does its
    work; without either, {!sleep}, {!blocking} and timeouts raise [Failure],
    whose text says what to do.

    [minor_heap_words] is the size of the minor heap of each domain that takes
    part, while the domain takes part. By default the caller's minor heap stays
    as it is, and the other domains get the same size. The end of the run gives
    the caller's domain its former size back, also after an exception, unless
    the program calls [Gc.set] in between. If several threads of one domain call
    runs at the same time, that domain has the largest of their sizes.

    A minor collection stops all domains of a process, and begins when one of
    them has filled its minor heap. A larger minor heap makes collections rarer,
    above all where the workers share cores with other processes; its memory is
    spent once for each worker ({{!page-allocation}figures}). A run that sets
    the size of its caller's domain begins and ends with a minor collection and
    a heap of new memory: a program with many short steps sets the size once,
    around all of them.

    Inside a run, [run f] is [f ()] with a {!Scope}: [workers] and
    [minor_heap_words] are ignored and a different [hub] raises
    [Invalid_argument].

    With [~preempt:true] a fiber that has run for 10 ms without leaving its
    worker gives way at its next poll point ({!Sched.Preemption}, which says
    what cannot be preempted, and what to mind: a Stdlib [Mutex]): for programs
    in which some fibers compute and other fibers have to answer in time. Only
    in such a run can {!Sched.Preemption.interruptible} cut a computation at its
    {!val-timeout}. Preemption is off by default. Fibers that compute lose 1 to
    3 % of their time ([bench/main.exe --only preempt_cost]), and a preempted
    fiber stays on its domain until its next wait, so thieves find less work. A
    program that is one parallel computation would pay and gain nothing.

    {b Failures without an awaiter}: exceptions of {!async} tasks whose promise
    no task has awaited. A second after the failure, the exception is reported
    once ({!Reporter}), so that the operator of a server learns of the failure.
    The scope of the task raises the exception at its end, unless a task has
    awaited the promise by then. [on_unhandled] replaces both. [on_unhandled] is
    called once with each such failure, a second after the failure or at the end
    of the scope, whichever comes first. The call is in a fiber of the run, with
    the {!Fls} of the failed task, and may wait, also if the run was cancelled.
    No scope raises a failure that [on_unhandled] got. [on_unhandled] is also
    called with failures of jobs that lost a {!race}, and with failures that
    {!suppressed} cannot keep. If [on_unhandled] raises, both failures are
    printed. A nested [run ~on_unhandled f] sets the function for [f].

    {[
      # let log = Dromos.Stream.create max_int
        let () =
          Dromos.run ~on_unhandled:(fun e _ -> Dromos.Stream.add log e) (fun () ->
              ignore (Dromos.async (fun () -> failwith "connection 7")))
      val log : exn Dromos_sync.Stream.t = <abstr>
      # Dromos.Stream.take log
      - : exn = Failure "connection 7"
    ]}

    Raises [Invalid_argument] if [workers] is not in [1 .. 128], or
    [minor_heap_words] not in [4096 .. 134217728], and {!Misplaced} when called
    in a task of Eio, Lwt, Async, Domainslib, Picos, Moonpool or Miou, whose
    scheduler it would block. Any domain and any systhread may call [run].

    {b Deadlock.} A run is stuck when no fiber of the run has moved for a second
    (three seconds, if something else in the process is at work). Full major
    collections then find out whether anything in the program still leads to one
    of the run's fibers: a variable, a thread, another run, a timer, a watched
    descriptor, a {!blocking} call, a weak pointer or a finaliser.

    - Nothing leads to a fiber: the fibers and the wait of each are reported
      ({!Reporter}), the fibers are cancelled, so that their clean-up code runs,
      and [run] raises {!Deadlock}.
    - Only time limits lead to a fiber ({!timeout}, [~timeout:]): the fibers are
      reported, if the next limit is more than ten seconds away.
    - Something else leads to a fiber: a thread of the program or a signal
      handler may wake the fiber. If the program has such a thread or handler,
      or if a timer, a descriptor, a blocking call or a wake-up announced by
      {!Dromos_suspend.External} is pending, no report is made. (A run that is
      kept for work from outside, such as a {!Runtime}, may rest as long as it
      likes.) Otherwise the same text is reported, and the run goes on. The text
      is reported again only if a fiber has begun another wait.

    {b Locks.} Tasks that hold locks ({!Mutex}, {!Rwlock} for writing,
    {!Strand}, {!Lazy}) and wait for each other's locks are reported when the
    last of them begins to wait. The report has the names of the tasks and of
    the locks, and the rest of the program goes on.

    [DROMOS_DEADLOCK=raise]: [run] raises whenever no fiber moves and nothing is
    pending, and the last of the tasks that wait for each other's locks raises
    {!Deadlock} (except a task that gets its mutex back in a [Condition.wait]).
    [DROMOS_DEADLOCK=ignore]: no deadlock is looked for. Cancelled fibers that
    do not end ({!protect}) are abandoned after another quiet second. In
    bytecode, and so in the toplevel, a function's variables stay reachable
    until the function returns: fewer deadlocks are certain there, and more are
    reported without an exception. [DROMOS_DEBUG=1] adds the places where fibers
    were made and where they wait. *)

val default_workers : unit -> int
(** The number of workers that {!run} takes by default: [DROMOS_WORKERS] if set,
    else the number of processors that the process may use. The latter is the
    number of processors of its affinity ([Domain.recommended_domain_count ()]),
    or less in a container with a quota of processor time: the quota, rounded up
    (Linux control groups of either version; read once). At most 128. Raises
    [Invalid_argument] if [DROMOS_WORKERS] is not a number in [1 .. 128]. *)

exception Deadlock of string
(** {!run} raises [Deadlock] with the text of the report; see {!run}. *)

exception Misplaced of string
(** The call is not possible where it was made; the text says what to do. *)

val inside : unit -> bool
(** [true] if the caller is a fiber of a run. *)

val workers : unit -> int
(** The number of workers of the current run; 1 outside. *)

(** {1 Fork and join} *)

val both : (unit -> 'a) -> (unit -> 'b) -> 'a * 'b
(** [both f g] is [(f (), g ())], and idle workers may take [g] while [f] runs.
    If no worker takes [g], the caller runs [g] itself after [f], for about the
    cost of two calls. Outside a run [both f g] is just [(f (), g ())].

    Exceptions are those of sequential evaluation: if [f] raises, [g] is
    cancelled (or never started), waited for, and [f]'s exception is raised; if
    only [g] raises, [f] runs to its end first.

    A fork is only latent until a worker is idle. A worker that becomes idle
    later gets the branch within about a millisecond: at the forking worker's
    next poll point, or while the forking worker is in C code that released the
    runtime lock. C code that holds the lock cannot be interrupted.

    A recursion deep into first branches takes more than linear time in its
    depth, like any deep recursion that allocates in OCaml: each minor
    collection scans the whole stack. A million levels take 2.4 s here, and .18
    s as direct calls of the same functions (three million: 1.2 s). With a minor
    heap of 32 million words ([OCAMLRUNPARAM=s=32M]), and so without a
    collection, a million levels take .37 s. Second branches and balanced trees
    keep the stack flat. *)

val all : (unit -> 'a) list -> 'a list
(** [all fs] calls every function of [fs] as nested {!both}s do: the results are
    in order, and the leftmost exception is raised. *)

(** Forks with the fiber's context as an argument: faster, without a look-up. *)
module Ctx : sig
  type t
  (** The context of the running fiber. Use the context that your function is
      given: a branch that may run on another worker is passed its own, and the
      use of another fiber's context is an error ([DROMOS_DEBUG=1] has every
      fork check the context). *)

  val get : unit -> t
  (** The context of the current fiber. Raises {!Misplaced} outside a run. *)

  val both : t -> (t -> 'a) -> (t -> 'b) -> 'a * 'b
  (** {!val:both}, for instance:
      {[
        # let rec fib ctx n =
            if n < 2 then n
            else
              let a, b =
                Dromos.Ctx.both ctx
                  (fun ctx -> fib ctx (n - 1))
                  (fun ctx -> fib ctx (n - 2))
              in
              a + b
          in
          Dromos.run (fun () -> fib (Dromos.Ctx.get ()) 20)
        - : int = 6765
      ]} *)
end

(** {1 Tasks} *)

val async : ?name:string -> (unit -> 'a) -> 'a Promise.t
(** [async f] makes a task that runs [f], and returns a promise of its result.
    Reports, of deadlocks for example, call the task [name]. The task belongs to
    the innermost {!Scope} of the caller (the run itself if there is none),
    which waits for the task at its end. An exception of [f] goes to the
    awaiters of the promise. If no task has awaited the promise when the scope
    ends, the scope raises the exception ({!run} says which report comes before,
    and how to handle the failure). Raises {!Misplaced} outside a run.

    {b Costs.} An {!await} of a task that no worker has begun runs the task in
    place, as a plain call. A fiber may await its tasks in any order; only the
    newest 4096 tasks of the worker are run so. To make, run and await such a
    task takes some 170 ns and 41 words. Any other task is a fiber of its own,
    which takes 45 words more, and whose await suspends. Some 30 words live from
    the making to the beginning of the task: while 100,000 tasks have not begun,
    most of the time is the collector's (700 ns for each task). {!Par} does the
    same work with few tasks. {!both} takes less than a tenth of the time. In a
    deadlock report a fiber has the name of the task that it runs in place. *)

val await : 'a Promise.t -> 'a
(** {!Promise.await}. *)

val yield : unit -> unit
(** Lets other runnable fibers run first. Also a cancellation point. Does
    nothing outside a run. A fiber that yields in a loop until some condition
    holds keeps its worker from sleeping, but keeps no other fiber from its turn
    (see {e Turns} above). A wait for a promise costs nothing instead. *)

val check : unit -> unit
(** A cancellation point: raises {!Cancelled} if the fiber has been cancelled. A
    few nanoseconds. *)

exception Cancelled
(** Raised in a fiber whose scope was cancelled. Let the exception pass. *)

val protect : (unit -> 'a) -> 'a
(** [protect f] runs [f] and puts cancellation off to the end of [f]: for
    clean-up code that has to wait. In a task of another scheduler inside a
    fiber (see {!Scope.run}) [protect f] is [f ()]: the other scheduler cancels
    its tasks itself. *)

val blocking :
  ?abandon:bool -> ?late:(('a, exn) result -> unit) -> (unit -> 'a) -> 'a
(** [blocking f] runs [f] on a systhread of the service domain, while the caller
    is suspended and its worker goes on: for system calls and C code that block.
    [f] runs outside any run, with the caller's {!Fls}. Outside a run
    [blocking f] is [f ()].

    {b Cancellation.} Nothing can stop a call that has begun. A cancelled caller
    waits for [f] to return: the caller keeps everything that [f] uses until
    then. With [~abandon:true] a cancelled caller leaves at once. A call that
    has not begun never runs; a call that runs goes on without its caller, and
    keeps neither {!run} from returning nor the program from ending. The call's
    thread counts as in use until [f] returns. Then [late] is called with the
    result of [f], on the same thread, to give back what the caller would have
    had (default: the result is dropped). [late] alone means [~abandon:true].
    Callers also leave their calls so when a signal's handler ends the run
    ({e Signals} above). Within {!protect} the caller waits in any case.

    {[
      # let read_end, write_end = Unix.pipe ~cloexec:true ()
      val read_end : Unix.file_descr = <abstr>
      val write_end : Unix.file_descr = <abstr>
      # let read () = Unix.read read_end (Bytes.create 1) 0 1
      val read : unit -> int = <fun>
      # Dromos.run (fun () ->
            match Dromos.timeout 0.05 (fun () -> Dromos.blocking ~abandon:true read) with
            | n -> Printf.sprintf "%d bytes" n
            | exception Dromos.Timeout -> "nothing came in time")
      - : string = "nothing came in time"
    ]}

    {!Io} waits for descriptors and processes without a thread for each.

    {b Bound.} 512 calls run at a time, or as many as [DROMOS_BLOCKING_THREADS]
    or {!set_blocking_threads} says, each on a thread of its own; further calls
    wait in line. If calls wait in line and no call ends for a second, a report
    says so, once: a call that itself waits for a call in line never ends.
    Raises [Invalid_argument] if [DROMOS_BLOCKING_THREADS] is not a number from
    1. *)

val set_blocking_threads : int -> unit
(** [set_blocking_threads n] lets [n] {!blocking} calls run at a time from now
    on, in the whole process. A thread costs some kilobytes of memory and
    reserves the address space of a stack ([ulimit -s]); the system may refuse
    one ([ulimit -u], a container's pids limit), and the call then waits until
    another call ends. Raises [Invalid_argument] for less than 1. Any thread may
    call [set_blocking_threads]. *)

val sleep : float -> unit
(** [sleep s] suspends the fiber for at least [s] seconds; cancellable. The
    fiber goes on when a worker takes its next turn. If all workers run fibers
    that compute, the turn may come much later, unless the run is preemptive
    ([run ~preempt:true]). *)

exception Timeout
(** Raised by {!val-timeout}, and at the end of every [?timeout] in the
    structures below. *)

val timeout : float -> (unit -> 'a) -> 'a
(** [timeout s f] is [f ()] in a {!Scope} of its own. If the scope, with its
    tasks, has not ended after [s] seconds, the scope is cancelled, and
    {!Timeout} is raised once all fibers of the scope have ended. If nothing was
    cut short, because [f] returned late without a cancellation point, the value
    of [f] is returned. Raises [Invalid_argument] for a negative number or nan.

    {[
      # Dromos.run (fun () ->
          try Dromos.timeout 0.01 (fun () -> Dromos.sleep 10.; `Slept)
          with Dromos.Timeout -> `Late)
      - : [> `Late | `Slept ] = `Late
    ]}

    A computation without a cancellation point runs on until it returns. In a
    run with [~preempt:true], {!Sched.Preemption.interruptible} cuts such a
    computation at the deadline, wherever the computation stands, within some 20
    ms:

    {[
      # let rec count n = if n < 0 then `Counted else count (n + 1)
      val count : int -> [> `Counted ] = <fun>
      # Dromos.run ~preempt:true (fun () ->
          try
            Dromos.timeout 0.05 (fun () ->
                Dromos.Sched.Preemption.interruptible (fun () -> count 0))
          with Dromos.Timeout -> `Late)
      - : [> `Counted | `Late ] = `Late
    ]}

    Only code that may be left at any place is to be called so: a data structure
    that the code was changing stays as it is. *)

(** Structured concurrency: no task outlives the scope in which it was started.
*)
module Scope : sig
  type t

  val run : (t -> 'a) -> 'a
  (** [run f] calls [f scope], and then waits for every task of the scope. If
      [f] or a task made with {!async} or {!fork} raises, [run] cancels the
      other tasks, waits for them, and raises the exception that came first in
      time; later failures are {!suppressed}. If the calling fiber was cancelled
      and a task of the scope was therefore cut short, {!Cancelled} is raised,
      also if [f] returned a value. A cancellation point. Works only inside a
      run. In a task of another scheduler that runs inside a fiber (a fiber of
      {!Fifo}) [f] runs as a fiber of its own, for which the task waits: [f]
      cannot use the other scheduler's operations, and cannot unlock the locks
      of the task. *)

  val async : ?name:string -> t -> (unit -> 'a) -> 'a Promise.t
  (** A task of the scope; an exception of the task fails the scope at once (and
      the promise). Any fiber may call [async]; raises [Invalid_argument] once
      the scope is over. *)

  val fork :
    ?name:string -> ?otherwise:(unit -> unit) -> t -> (unit -> unit) -> unit
  (** {!async} without a promise. A task that is cancelled before it begins
      never runs its function, so no [Fun.protect] in the function either.
      [otherwise ()] is called instead, to give back what the function was to
      own (a connection that was accepted). [otherwise] must not wait long; an
      exception of [otherwise] fails the scope. *)

  val cancel : t -> unit
  (** Cancels every fiber in the scope and in scopes inside it. Idempotent; any
      thread may call [cancel]. {!run} then raises {!Cancelled}, unless its
      function returned a value without a cancellation point. *)

  val is_cancelled : t -> bool
end

val suppressed : exn -> (exn * Printexc.raw_backtrace) list
(** [suppressed e] has the failures after the exception [e], with backtraces, in
    the order in which they happened, at most a hundred: failures of other tasks
    of the {!Scope} or run that raised [e], of their clean-up code when they
    were cancelled, of tasks without an awaiter, and of branches to the right of
    the branch that raised [e]. Cancellations are no failures. The failures stay
    with [e] as long as the program has [e], wherever [e] is caught.
    [Printexc.to_string e] shows the first three, without failures of branches:
    chance decides how many iterations of a parallel loop have run when one
    iteration fails. The list is empty for a constant exception ([Not_found],
    [Exit]), which is one value for the whole program: failures after a constant
    exception go to [on_unhandled] of {!run} at once.

    {[
      # let both_fail () =
          Dromos.run (fun () ->
              let wait = Dromos.Barrier.create 2 in
              let fail why () =
                ignore (Dromos.Barrier.wait wait);
                failwith why
              in
              Dromos.Scope.run (fun scope ->
                  Dromos.Scope.fork scope (fail "disk full");
                  Dromos.Scope.fork scope (fail "disk full")))
      val both_fail : unit -> unit = <fun>
      # match both_fail () with
        | () -> []
        | exception (Failure _ as e) -> List.map fst (Dromos.suppressed e)
      - : exn list = [Failure "disk full"]
    ]} *)

(** {1 The first of several, many at a time} *)

val any :
  ?max:int ->
  ?discard:('a -> unit) ->
  ?on_failure:(exn -> Printexc.raw_backtrace -> unit) ->
  (unit -> 'a) list ->
  'a
(** [any jobs] is the value of the first job that returns a value; [any] cancels
    the other jobs and waits for them. If all jobs fail, the exception of the
    leftmost is raised. At most [max] jobs run at once. Jobs that compute give
    way to each other. {!Race} says more.

    {[
      # Dromos.run (fun () ->
            Dromos.any
              [ (fun () -> failwith "down"); (fun () -> Dromos.sleep 0.001; "up") ])
      - : string = "up"
    ]} *)

val race :
  ?max:int ->
  ?discard:('a -> unit) ->
  ?on_failure:(exn -> Printexc.raw_backtrace -> unit) ->
  (unit -> 'a) list ->
  'a
(** Like {!any}, with the result of the first job that ends: its value or its
    exception. *)

val first :
  ?max:int ->
  ?discard:('a -> unit) ->
  ?on_failure:(exn -> Printexc.raw_backtrace -> unit) ->
  (unit -> 'a option) list ->
  'a option
(** Like {!any}, with the first [Some]; [None] if all jobs return [None]. An
    exception of a job ends all jobs. *)

module Race = Race
(** {!any}, {!race} and {!first}: which job runs when, what becomes of the
    losers, the cost. *)

module Tasks = Tasks
(** A function over a list, in a task for each element, with a bound on the
    tasks that run at a time: for tasks that wait. *)

module Strand = Strand
(** Functions that run one at a time, in the order in which they were given. *)

(** {1 What tasks carry} *)

module Fls = Dromos_sched.Fls
(** Fiber-local storage, inherited by all that a fiber makes. *)

module Random = Random_streams
(** Random numbers that are the same in every run, a stream for each task. *)

module Worker_local = Worker_local
(** Scratch for tasks, made once per worker, for one task at a time. *)

(** {1 Looking inside} *)

type minor = Dromos_fiber.Minor_stops.figures = {
  collections : int;  (** minor collections of the process *)
  stopped : float;
      (** seconds in which a minor collection went on, or a domain waited for
          one to begin; the waits are sampled every 5 ms, so a value much below
          a second is only rough *)
  elapsed : float;  (** seconds from the beginning of the run *)
}
(** Each minor collection of stock OCaml stops all domains. *)

type stats = Dromos_fiber.Run.stats = {
  tasks : int;  (** tasks the kernel ran *)
  promotions : int;  (** forks that were published *)
  steals : int;
  suspensions : int;
  sleeps : int;  (** times a worker went to sleep *)
  domains : int;  (** domains alive in the process-wide set, a snapshot *)
  minor : minor;
}

val stats : unit -> stats
(** The figures of the current run; outside a run, the figures of the run that
    ended last in this process. *)

val pp_stats : Format.formatter -> stats -> unit
(** Prints one line. If minor collections stopped the domains for more than a
    fifth of the time, the line says so and names a remedy. *)

val dump : ?out:out_channel -> unit -> unit
(** Prints the state of every run of the process to [out], or reports it
    ({!Reporter}): each fiber's number and name, whether the fiber runs (on
    which vproc), is runnable, or waits (for what, and how long at least), and
    the scheduler actions ({!Sched}) that the fiber runs under. Of each run the
    oldest 200 fibers are listed, besides the fibers that run. A task that has
    not begun is not a fiber yet, and is not listed. [DROMOS_DEBUG=1] adds the
    places where fibers were made and where they wait.

    If minor collections have stopped the domains for more than a fifth of the
    time since the run began, a second line of the run says so.

    Any thread may call [dump]. No thread is stopped, so the lines may be of
    slightly different moments. For example, for a program of one worker:
    {v
      dromos: 1 run
      run on hub std, 1 vproc: 0 fibers running, 3 in hand or waiting, 0 ready in the hub
        vproc 0 sleeps
        fiber 1 (first fiber of the run) waits on the tasks of its scope for 0.2 s
        fiber 2 "round robin" waits on Vproc.deq for 0.2 s
        fiber 3 "reader" waits on Channel.recv for 0.2 s, under round robin
    v} *)

val dump_on_sigquit : unit -> unit
(** From this call on [SIGQUIT] (control-backslash, [kill -QUIT]) reports a
    {!dump} ({!Reporter}), also while all workers sleep or compute, and the
    program goes on. A thread of the service domain waits for the signal, so
    [Unix.fork] is refused from this call on. The signal is blocked in the
    calling thread, in threads that it makes later, and in processes that these
    threads start: call [dump_on_sigquit] first in [main]. In a process with
    [DROMOS_DUMP=1] in its environment, the first {!run} calls
    [dump_on_sigquit]. *)

module Reporter = Dromos_service.Reporter
(** The destination of failures without an awaiter, deadlocks, dumps and advice:
    stderr, or a function of the program. *)

(** {1 More} *)

module Par = Par
(** Parallel loops and arrays. *)

module Dag = Dag
(** Task graphs. *)

module Pipeline = Pipeline
(** Items that go through stages, a bounded number of them at a time. *)

module Pool = Pool
(** A pool of one's own, with futures: kernel tasks made safe. *)

module Io = Io
(** Waiting for descriptors and processes. *)

module Runtime = Runtime
(** A run that is kept for work from outside: for servers, event loops and
    threads that are not in a run. *)

(** {1 What tasks share}

    Structures through which tasks wait for each other: fibers of a run, plain
    systhreads and domains, fibers of {!Fifo}, and tasks of Lwt, Async, Eio,
    Domainslib, Picos, Moonpool and Miou through the bridges. The page
    {{!page-sync}Structures} helps to choose. Each structure suspends the
    calling task alone, and serves waiting tasks first in, first out. A timeout
    or a cancellation ends a wait without any loss. The operations are also
    {!Event}s, except {!Broadcast.publish} and the operations that call a
    function, as {!Resource_pool.use}. *)

module Event = Dromos_sync.Event
(** The first possible operation of several; timeouts. *)

module Channel = Dromos_sync.Channel
(** Messages, with or without a buffer. *)

module Stream = Dromos_sync.Stream
(** A bounded queue with an end. *)

module Broadcast = Dromos_sync.Broadcast
(** Messages to every subscriber. *)

module Mvar = Dromos_sync.Mvar
(** A variable that is empty or full. *)

module Ivar = Dromos_sync.Ivar
(** A value published once. *)

module Lazy = Dromos_sync.Lazy
(** A value computed once, when first needed. *)

module Mutex = Dromos_sync.Mutex
(** Mutual exclusion that may be held across a wait. *)

module Condition = Dromos_sync.Condition
(** Waiting for a change of what a mutex protects. *)

module Rwlock = Dromos_sync.Rwlock
(** Many readers or one writer. *)

module Semaphore = Dromos_sync.Semaphore
(** A number of permits. *)

(** Connections and the like, made as needed and lent to one task at a time. *)
module Resource_pool : sig
  include module type of struct
    include Dromos_sync.Resource_pool
  end

  val create :
    ?name:string ->
    ?max_idle:int ->
    ?check:('a -> bool) ->
    max:int ->
    make:(unit -> 'a) ->
    dispose:('a -> unit) ->
    unit ->
    'a t
  (** {!Dromos_sync.Resource_pool.create}; [dispose] runs to its end also if its
      task is cancelled ({!protect}). *)
end

module Barrier = Dromos_sync.Barrier
(** Rounds: all tasks wait until all have come. *)

module Latch = Dromos_sync.Latch
(** A count that goes down to zero, once. *)

module Fifo = Dromos_fifo
(** A small scheduler on one thread, which shows how schedulers join in. *)

(** {1 Schedulers of one's own} *)

module Sched = Dromos_sched
(** Scheduler actions, fibers, vprocs; schedulers that run side by side and
    inside each other. *)
