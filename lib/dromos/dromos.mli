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

    {b Where what runs.} {!run} turns the calling domain into a worker and
    borrows others from one process-wide set. A {e fiber} is a thread of control
    inside a run: the function given to {!run}, a task made by {!async}, a
    branch of {!both} that an idle worker took. A fiber that waits is put aside,
    its worker takes other work, and it may continue on another domain: so
    [Domain.DLS], [Domain.self], [Thread.self] and a Stdlib [Mutex] held across
    a wait are not stable over a waiting call; {!Fls} and {!Worker_local} are.

    {b Waiting} calls suspend the calling fiber only: {!await}, {!both} and
    {!all} when a branch was taken by another worker, {!Scope.run} at its end,
    {!blocking}, {!yield}, and everything built on {!Dromos_suspend}. No other
    task ever runs on top of a waiting one, so locks held by it are not
    re-entered.

    {b Turns.} A worker runs first what came last: what it forked, or woke. Now
    and then it looks at what all workers share, at the others' tasks and at its
    own oldest ones. So a task, fiber or branch that is ready begins after a
    bounded number of turns of some worker that is not computing, whatever
    others yield, wake or start: on each hub of {!Hub}, for branches that are
    still latent, below chains of tasks each of which starts the next. A worker
    computes while its fiber does not fork, wait or yield: then it takes no
    turn, and with all workers computing nobody does, not even a fiber whose
    {!sleep} is over. [run ~preempt:true] bounds that.

    {b Exceptions} travel with their backtraces. {b Cancellation} is
    cooperative: it is noticed at the next fork, wait, {!yield} or {!check}, and
    wakes a waiting fiber at once.

    {b Effects} of the program's own that a task performs are for handlers
    inside of it. Branches ({!both}, {!all}, the bodies of {!Par}) are part of
    the task that forks, whoever runs them: a handler around the fork gets their
    effects, in the order of the sequential program. A branch that another
    worker took waits, with an effect that it does not handle itself, until all
    to its left is over, and the forking task performs it in its place; what the
    handler makes of it, a value or an exception, goes back to the branch. So
    such handlers are never called by two branches at once, and the more
    effects, the less runs in parallel ([DROMOS_DEBUG=1] tells when that first
    happens); a handler inside the body costs nothing. Tasks are on their own:
    in [async], {!Scope}'s tasks, [Dag] vertices, stages of a {!Pipeline} and
    {!blocking}, and in {!run} itself, the handlers around the call are never in
    force, and [perform] raises [Effect.Unhandled], whose printed form says
    where to put the handler. {!Scope.run}, {!timeout} and a {!run} inside a run
    are plain calls.

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

    {b Signals.} OCaml's handlers run on the program's own threads, that of the
    caller of {!run} and those that run tasks among them, with the caller's
    signal mask; a process that a task starts has that mask too. A signal that
    comes while a run sleeps wakes the run within 100 ms, and the handler is
    called. A handler may set a flag, call {!Scope.cancel}, or wake fibers
    ({!Promise.resolve}, {!Ivar.try_fill}, [try_] operations); it must not wait.

    A handler that raises ([Sys.catch_break], an alarm) ends the run: every
    fiber is cancelled, clean-up code runs, and {!run} raises that exception,
    whatever the code that the signal struck. The exception is not raised inside
    of a fiber: code without a cancellation point goes on to its end. If a
    handler of [SIGINT], [SIGTERM], [SIGHUP] or [SIGQUIT] raises again before
    the run has cleaned up, the process ends by that signal. To do so Dromos
    puts a guard around handlers at the beginning of a run, and around those
    that were installed meanwhile every 50 ms at most while the caller sleeps or
    serves many tasks; [Sys.signal] returns the guard, which may be installed
    again like the handler. The exception goes to the run that the program's
    main thread has called, if there is one; else it is raised in a thread of
    the program, or ends the run that this thread has called. It never ends a
    {!Runtime}: the main thread that waits for one ({!Runtime.run}, {!await},
    {!sleep}, {!Io}, any structure) is woken within 100 ms, its wait raises the
    exception, and {!Runtime.with_} stops the runtime.

    {b Output.} What tasks print is written when {!run} returns or raises, also
    what they print through [Format] without a flush, whose formatters are each
    domain's own; before it begins it writes what its caller has printed. So
    output of tasks stands between that of the code before and after the run.
    Among themselves tasks have no order: each domain's text is written in the
    order in which it was printed there, in whole pieces, when a worker has
    nothing more to do, after 64 KB, at a flush, and at the end of a function in
    {!blocking} and of the run; a task that waits may go on on another domain.
    Print a line, or a box, between two waits, or with one [Format.asprintf] and
    [print_string], which any domain may call. A box that is open around {!run}
    stays open; one that a task leaves open is closed.

    {b What is checked how}: the kernel below (deques, queues, hubs, parking) is
    proved in Iris, model-checked and tested, see its interfaces; this layer is
    tested under stress on every hub. *)

module Promise = Dromos_sync.Promise
module Suspend = Dromos_suspend

(** {1 Running} *)

module Hub = Hub
(** Scheduling policies; see each for when to choose it. *)

val run :
  ?workers:int ->
  ?hub:Hub.t ->
  ?preempt:bool ->
  ?minor_heap_words:int ->
  ?on_unhandled:(exn -> Printexc.raw_backtrace -> unit) ->
  (unit -> 'a) ->
  'a
(** [run f] runs [f] as a fiber, and returns its result, or re-raises its
    exception, when [f] and every task that it started are over. At the end it
    raises the exception of a task whose promise nobody awaited, if there is
    one: no failure is lost.

    [workers] (default: {!default_workers}) is the number of domains that take
    part, the caller's among them; [1] spawns none ({!sleep} and {!blocking}
    start the service domain on first use). It is an upper bound: all concurrent
    runs of a process together never use more domains than the largest [workers]
    asked for by one of them, plus the callers beyond, plus one for each
    {!Runtime}. Nor do runs take the last of the domains that OCaml allows in a
    process (128, or what [OCAMLRUNPARAM=d=..] says): the service domain needs a
    place, and with the program's own domains beside it a run has fewer workers.
    If the program has taken all of them before the first timer, one of the
    run's becomes the service domain, or the main domain does its work; if there
    is neither, {!sleep}, {!blocking} and timeouts raise [Failure], which says
    what to do.

    [minor_heap_words] is the size of the minor heap of each domain that takes
    part, for as long as it does. The end of the run gives the caller's domain
    the size back that it had, exceptions included, unless the program calls
    [Gc.set] in between. By default the caller's minor heap stays as it is, and
    the other domains have as many words as the caller has then. Of several runs
    that threads of one domain call at a time the largest size is in force on
    that domain. A minor collection stops all domains of a process, and comes
    when one of them has filled its minor heap: a larger one makes collections
    rarer, above all where the workers share cores with other processes, and
    costs the memory of one for each worker ({{!page-allocation}figures}). A run
    that sets the size of its caller's domain begins and ends with a minor
    collection and a heap whose memory is new: a program with many short steps
    sets the size once, around all of them.

    Inside a run, [run f] is [f ()] with a {!Scope}: [workers] and
    [minor_heap_words] are ignored and a different [hub] raises
    [Invalid_argument].

    With [~preempt:true] a fiber that has run for 10 ms without leaving its
    worker gives way at its next poll point ({!Sched.Preemption}, which says
    what cannot be preempted, and what to mind: a Stdlib [Mutex]): for programs
    in which some fibers compute and others are to answer in time. It is off by
    default: fibers that compute lose 1 to 3 % of their time to it
    ([bench/main.exe --only preempt_cost]), and a fiber that was preempted stays
    on its domain until it next waits, so that thieves find less; a program of
    one parallel computation gains nothing for that.

    {b Failures that nobody awaits}: the exception of an {!async} task whose
    promise nobody has awaited. A second after the failure it is reported
    ({!Reporter}), once, so that whoever runs a server learns of it; the scope
    of the task raises the exception at its end, unless somebody has awaited the
    promise by then. [on_unhandled] replaces both. It is called once with each
    such failure, a second after it or at the end of the scope, whichever comes
    first, in a fiber of the run that has the task's {!Fls}; it may wait, also
    where the run was cancelled. No scope raises what it was called with. It is
    called as well with failures of jobs that lost a {!race}, and with those
    that {!suppressed} cannot keep. If [on_unhandled] raises, both failures are
    printed. A nested [run ~on_unhandled f] sets it for [f].

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
    in an Eio, Lwt, Async or Domainslib task, whose scheduler it would block.
    Callable from any domain and any systhread.

    {b Deadlock.} When nothing of the run has moved for a second (three, if
    something else in the process is at work), full major collections tell
    whether anything in the program still leads to one of its fibers: a
    variable, a thread, another run, a timer, a watched descriptor, a
    {!blocking} call, a weak pointer or a finaliser. If nothing does, the fibers
    and what each waits for are reported ({!Reporter}), the fibers are
    cancelled, so that their clean-up code runs, and [run] raises {!Deadlock}.
    If only time limits do ({!timeout}, [~timeout:]), the fibers are reported,
    where the next limit is more than ten seconds away. If something else does,
    a thread of the program or a signal handler may wake them: nothing is said
    while there is one (a run that is kept for work from outside, such as a
    {!Runtime}, may rest as long as it likes), or while a timer, a descriptor, a
    blocking call or a wake-up announced by {!Dromos_suspend.External} is
    pending; if there is none, the same text is reported, once for each wait,
    and the run goes on.

    {b Locks.} Tasks that hold locks ({!Mutex}, {!Rwlock} for writing,
    {!Strand}, {!Lazy}) and wait for each other's are reported when the last of
    them begins to wait, with their names and those of the locks, while the rest
    of the program goes on.

    With [DROMOS_DEADLOCK=raise] [run] raises whenever nothing moves and nothing
    is pending, and the last of the tasks that wait for each other's locks
    raises {!Deadlock} (not one that gets its mutex back in a [Condition.wait]);
    with [DROMOS_DEADLOCK=ignore] nobody looks. Fibers that are cancelled and do
    not end ({!protect}) are abandoned after another quiet second. In bytecode,
    so in the toplevel too, a function's variables stay reachable until the
    function returns: fewer deadlocks are certain there, and more are reported
    without an exception. [DROMOS_DEBUG=1] adds where fibers were made and where
    they wait. *)

val default_workers : unit -> int
(** How many workers {!run} takes by default: [DROMOS_WORKERS] if set, else as
    many as the process may use processors: those of its affinity
    ([Domain.recommended_domain_count ()]), but no more than its quota of
    processor time comes to, rounded up, where a container has one (Linux
    control groups of either version; read once). At most 128. Raises
    [Invalid_argument] if [DROMOS_WORKERS] is not a number in [1 .. 128]. *)

exception Deadlock of string
(** Raised by {!run}, with the text of the report; see there. *)

exception Misplaced of string
(** The call is not possible where it was made; the text says what to do. *)

val inside : unit -> bool
(** Whether the caller is a fiber of a run. *)

val workers : unit -> int
(** The number of workers of the current run; 1 outside. *)

(** {1 Fork and join} *)

val both : (unit -> 'a) -> (unit -> 'b) -> 'a * 'b
(** [both f g] is [(f (), g ())], with [g] open to idle workers while [f] runs;
    if none takes it, the caller runs it itself, after [f], for about the cost
    of two calls. Outside a run it is just [(f (), g ())].

    Exceptions are those of sequential evaluation: if [f] raises, [g] is
    cancelled (or never started), waited for, and [f]'s exception is raised; if
    only [g] raises, [f] runs to its end first.

    A fork is only latent until somebody is idle. A worker that becomes idle
    later gets it within about a millisecond, at the forking worker's next poll
    point or while it is in C code that released the runtime lock. C code that
    holds the lock cannot be interrupted.

    A recursion that goes deep into first branches is more than linear in its
    depth, as any deep recursion that allocates is in OCaml: each minor
    collection scans the whole stack. A million levels take 2.4 s here, and .18
    s as direct calls of the same functions (three million: 1.2 s); with a minor
    heap of 32 million words ([OCAMLRUNPARAM=s=32M]), thus without a collection,
    .37 s. Second branches, and balanced trees, keep the stack flat. *)

val all : (unit -> 'a) list -> 'a list
(** Every function, as by nested {!both}: results in order, leftmost exception.
*)

(** The same with the fiber's context passed explicitly: the fast form, which
    saves the look-up. *)
module Ctx : sig
  type t
  (** The context of the running fiber. Use the one you are given: a branch that
      may run elsewhere is passed its own, and using another fiber's is an error
      ([DROMOS_DEBUG=1] has every fork check it). *)

  val get : unit -> t
  (** The current fiber's. Raises {!Misplaced} outside a run. *)

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
(** A new fiber, called [name] where people are told about it (deadlocks), in
    the innermost {!Scope} of the caller (the run itself if there is none),
    which will wait for it. Its exception goes to whoever awaits the promise; if
    nobody ever has when the scope ends, the scope raises it ({!run} says what
    is told before, and how to handle it). Raises {!Misplaced} outside a run.

    {b Costs.} An {!await} of a task that no thread has begun runs the task in
    place, as a plain call, in whatever order a fiber awaits its tasks; only the
    newest 4096 tasks of the worker count. Making, running and awaiting take
    some 170 ns and 41 words. Any other task is a fiber of its own, which takes
    45 words more, and an await of it suspends. Some 30 words live from the
    making to the beginning: with 100,000 tasks that have not begun most of the
    time is the collector's (700 ns for each task), and {!Par} does the same
    with few tasks. {!both} takes less than a tenth of the time. In a deadlock
    report a fiber goes by the name of the task it runs in place. *)

val await : 'a Promise.t -> 'a
(** {!Promise.await}. *)

val yield : unit -> unit
(** Lets other ready fibers run first. Also a cancellation point. Does nothing
    outside a run. A fiber that yields in a loop until something has happened
    keeps its worker from sleeping, but nobody's turn from coming (see {e Turns}
    above); to wait for a promise instead costs nothing. *)

val check : unit -> unit
(** A cancellation point: raises {!Cancelled} if the fiber has been cancelled. A
    few nanoseconds. *)

exception Cancelled
(** Raised in a fiber whose scope was cancelled. Let it pass. *)

val protect : (unit -> 'a) -> 'a
(** [protect f] runs [f] with cancellation put off to its end: for clean-up code
    that has to wait. In a task of another scheduler inside a fiber (see
    {!Scope.run}) it is [f ()]: that scheduler cancels its tasks itself. *)

val blocking :
  ?abandon:bool -> ?late:(('a, exn) result -> unit) -> (unit -> 'a) -> 'a
(** [blocking f] runs [f] on a systhread of the service domain, while the caller
    is suspended and its worker goes on: for system calls and C code that block.
    [f] runs outside any run, with the caller's {!Fls}. Outside a run
    [blocking f] is [f ()].

    {b Cancellation.} Nothing can stop a call that has begun. A cancelled caller
    waits for [f] to return, so that whatever [f] uses stays the caller's until
    then. With [~abandon:true] a cancelled caller leaves at once: a call that
    has not begun never runs; one that runs goes on without its caller, and
    keeps neither {!run} from returning nor the program from ending. Its thread
    counts as in use until [f] returns. [late] is called with its result then,
    on that thread, to give back what the caller would have (default: the result
    is dropped); [late] alone means [~abandon:true]. Callers leave calls so,
    too, when a signal's handler ends the run ({e Signals} above). Within
    {!protect} the caller waits in any case.

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

    For descriptors and processes there is {!Io}, which needs no thread each.

    {b How many.} 512 calls run at a time, or as many as
    [DROMOS_BLOCKING_THREADS] or {!set_blocking_threads} says, each on a thread
    of its own; others wait in line. If calls wait in line and none ends for a
    second, a report says so, once: calls that wait for a call in line never
    end. Raises [Invalid_argument] if [DROMOS_BLOCKING_THREADS] is not a number
    from 1. *)

val set_blocking_threads : int -> unit
(** How many {!blocking} calls may run at a time from now on, in the whole
    process. A thread costs some kilobytes of memory and reserves the address
    space of a stack ([ulimit -s]); the system may refuse one ([ulimit -u], a
    container's pids limit), and the call then waits for another to end. Raises
    [Invalid_argument] for less than 1. From anywhere. *)

val sleep : float -> unit
(** Suspends the fiber for at least that many seconds; cancellable. The fiber
    goes on when a worker takes its next turn: beside fibers that compute
    without leaving their workers that may be long after, unless the run is
    preempted ([run ~preempt:true]). *)

exception Timeout
(** That of every [?timeout] in the structures below, and of {!val-timeout}. *)

val timeout : float -> (unit -> 'a) -> 'a
(** [timeout s f] is [f ()] in a {!Scope} of its own, which is cancelled if it,
    with the tasks in it, is not over after [s] seconds; {!Timeout} is then
    raised, once everything in it has stopped. A function that returns late,
    without having noticed, has its value returned. Raises [Invalid_argument]
    for a negative number or nan.

    {[
      # Dromos.run (fun () ->
          try Dromos.timeout 0.01 (fun () -> Dromos.sleep 10.; `Slept)
          with Dromos.Timeout -> `Late)
      - : [> `Late | `Slept ] = `Late
    ]} *)

(** Structured concurrency: nothing started in a scope outlives it. *)
module Scope : sig
  type t

  val run : (t -> 'a) -> 'a
  (** [run f] is [f scope], and then waits for every task of the scope. If [f]
      or a task made with {!async} or {!fork} raises, the rest is cancelled,
      waited for, and the exception that came first in time is raised, with what
      failed after it {!suppressed}. If the calling fiber was cancelled and a
      task of the scope was cut short by that, {!Cancelled} is raised, also if
      [f] returned a value. A cancellation point. Works only inside a run. In a
      task of another scheduler that runs inside a fiber (a fiber of {!Fifo})
      the function runs as a fiber of its own, for which the task waits: it
      cannot use that scheduler's operations, nor unlock what the task locked.
  *)

  val async : ?name:string -> t -> (unit -> 'a) -> 'a Promise.t
  (** A task of that scope; its exception fails the scope at once (and the
      promise). From any fiber; raises [Invalid_argument] once the scope is
      over. *)

  val fork :
    ?name:string -> ?otherwise:(unit -> unit) -> t -> (unit -> unit) -> unit
  (** {!async} without a promise. A task that is cancelled before it begins
      never runs its function, nor a [Fun.protect] in the function:
      [otherwise ()] is called in that case, to give back what the function was
      to own (a connection that was accepted). It must not wait long; an
      exception of [otherwise] fails the scope. *)

  val cancel : t -> unit
  (** Cancels every fiber in the scope and in scopes inside it. Idempotent, from
      anywhere. {!run} then raises {!Cancelled}, unless its function returned a
      value before it noticed. *)

  val is_cancelled : t -> bool
end

val suppressed : exn -> (exn * Printexc.raw_backtrace) list
(** [suppressed e] is what failed after the exception [e], with backtraces, in
    the order in which it happened: other tasks of the {!Scope} or run that
    raised [e], their clean-up code when they were cancelled, tasks that nobody
    awaited, and branches to the right of the one that raised [e]. At most a
    hundred. They stay with [e] as long as the program has it, wherever [e] is
    caught; [Printexc.to_string e] shows the first three, but those of branches,
    since how much of a parallel loop has run when an iteration fails is chance.
    [[]] if there are none, and for a constant exception ([Not_found], [Exit]),
    which is one value for the whole program: what fails after such a one goes
    to [on_unhandled] of {!run} at once. Cancellations are no failures.

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
(** The value of the first job that returns one; the others are cancelled and
    waited for. If all fail, the leftmost one's exception is raised. At most
    [max] run at once. Jobs that compute give way to each other. For the rest
    see {!Race}.

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
(** The same, for the first job that ends, be it with an exception. *)

val first :
  ?max:int ->
  ?discard:('a -> unit) ->
  ?on_failure:(exn -> Printexc.raw_backtrace -> unit) ->
  (unit -> 'a option) list ->
  'a option
(** The same, for the first [Some]; [None] if all return [None]. A job that
    raises ends all. *)

module Race = Race
(** What these three have in common: which job runs when, what becomes of the
    losers, the cost. *)

module Tasks = Tasks
(** A function over a list, in a task for each element, at most so many at a
    time: for tasks that wait. *)

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
      (** seconds in which one went on, or a domain waited for one to begin; the
          waits are sampled every 5 ms, so of much less than a second it is only
          a rough figure *)
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
(** Of the current run; outside, of the run that ended last in this process. *)

val pp_stats : Format.formatter -> stats -> unit
(** One line. Where minor collections stopped the domains for more than a fifth
    of the time it says so, and what helps. *)

val dump : ?out:out_channel -> unit -> unit
(** Prints what every run of the process is doing, or reports it ({!Reporter}):
    each fiber's number and name, whether it runs (on which vproc), is ready, or
    waits (for what, and how long at least), and the scheduler actions
    ({!Sched}) that it runs under. At most 200 fibers of each run, the oldest,
    are listed besides those that run, and none that has not started: a task in
    the hub is not a fiber yet. [DROMOS_DEBUG=1] adds where fibers were made and
    where they wait.

    A line below a run's first one says so where minor collections have stopped
    the domains for more than a fifth of the time since the run began.

    From any thread, while everything runs: nobody is stopped for it, so the
    lines may be of slightly different moments. For example, for a program of
    one worker:
    {v
      dromos: 1 run
      run on hub std, 1 vproc: 0 fibers running, 3 in hand or waiting, 0 ready in the hub
        vproc 0 sleeps
        fiber 1 (first fiber of the run) waits on the tasks of its scope for 0.2 s
        fiber 2 "round robin" waits on Vproc.deq for 0.2 s
        fiber 3 "reader" waits on Channel.recv for 0.2 s, under round robin
    v} *)

val dump_on_sigquit : unit -> unit
(** From here on [SIGQUIT] (control-backslash, [kill -QUIT]) makes a {!dump},
    which is reported ({!Reporter}), and the program goes on. Even if all
    workers sleep or compute: a thread of the service domain waits for the
    signal, so [Unix.fork] is refused from here on. The signal is blocked in the
    calling thread and those it makes later, and in processes these start: call
    it first thing in [main]. In a process that is started with [DROMOS_DUMP=1]
    the first {!run} does so. *)

module Reporter = Dromos_service.Reporter
(** Where failures that nobody awaits, deadlocks, dumps and advice go: to
    stderr, or to a function of the program. *)

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
    threads that are no run themselves. *)

(** {1 What tasks share}

    Structures through which tasks wait for each other, be they fibers of a run,
    plain systhreads and domains, fibers of {!Fifo}, or tasks of Lwt, Async,
    Eio, Domainslib, Picos, Moonpool and Miou through the bridges. The page
    {{!page-sync}Structures} helps to choose. Each waits by suspending the
    calling task alone, serves first in, first out, can be given up by a timeout
    or a cancellation without losing anything, and has its operations as
    {!Event}s too (all but what calls a function, as {!Resource_pool.use}, and
    {!Broadcast.publish}). *)

module Event = Dromos_sync.Event
(** One of several operations, whichever is possible first; timeouts. *)

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
  (** {!Dromos_sync.Resource_pool.create}; [dispose] runs to its end although
      its task is cancelled ({!protect}). *)
end

module Barrier = Dromos_sync.Barrier
(** Rounds in which all wait for all. *)

module Latch = Dromos_sync.Latch
(** A count that goes down to zero, once. *)

module Fifo = Dromos_fifo
(** A small scheduler on one thread, which shows how schedulers join in. *)

(** {1 Schedulers of one's own} *)

module Sched = Dromos_sched
(** Scheduler actions, fibers, vprocs; schedulers that run side by side and
    inside each other. *)
