(** A run of Dromos as a scheduler of Picos.

    A program that links this library (without naming it) may call code of Picos
    in any fiber of [Dromos.run]: [Picos_std_structured], [Picos_std_sync],
    [Picos_io], Moonpool's futures. The fibers, workers and timer of Dromos
    answer the effects of Picos ([Trigger.Await], [Fiber.Current],
    [Fiber.Spawn], [Fiber.Yield], [Computation.Cancel_after]); code of both
    kinds waits for each other.

    {[
      Dromos.run (fun () ->
          let channel = Dromos.Channel.create () in
          Picos_std_structured.Flock.join_after (fun () ->
              Picos_std_structured.Flock.fork (fun () ->
                  Dromos.Channel.send channel 42);
              Dromos.Channel.recv channel))
    ]}

    [dromos_picos] is for the other direction: structures of Dromos in fibers of
    another Picos scheduler. That direction needs no Dromos run, so there are
    two libraries.

    {b Fibers.} A Dromos fiber is one Picos fiber, made at the first request,
    and inherits nothing from the fiber that started it. A branch of a fork is
    the forking fiber, unless another worker takes the branch.

    {b Spawning.} [Picos.Fiber.spawn] makes a fiber of the {e run}, not of the
    scope open at the call: structures of Picos decide when the fiber ends, and
    the run waits for the fiber. The fiber inherits fiber-local storage of
    Dromos. The fiber's function is called even if the fiber, or the run, is
    cancelled by then. An exception out of the function fails the run, and the
    run is then cancelled.

    {b A cancelled scope} cancels the computations of its fibers, with
    [Picos_std_structured.Control.Terminate] (with [Dromos.Cancelled] if
    [picos_std] was absent when this library was built). A [Flock] or [Bundle]
    opened in the scope thus ends, with all of its fibers; a [Flock] or [Bundle]
    around the scope continues. A waiting fiber is cancelled at once, a
    computing fiber at its next operation of Picos. Where [Terminate] leaves the
    cancelled scope, [Terminate] counts as [Dromos.Cancelled]. [Dromos.protect]
    puts all of this off.

    {b A cancelled computation of Picos} also ends its fiber's waits outside
    Picos ([Dromos.Channel.recv], [Dromos.sleep], and the rest), with the
    exception and backtrace of the computation. The cancellation does not reach
    code in [Dromos.protect], and tasks and branches started by the fiber, which
    have computations of their own.

    {b Forbidding cancellation} ([Picos.Fiber.forbid], [Control.protect]) puts
    off either cancellation, in operations of Picos and of Dromos. Tasks, and
    branches taken by other workers, do not inherit the setting: in code with
    forks use [Dromos.protect].

    {b Limits.} All fibers of a [Dromos.Fifo] are one Picos fiber together: all
    wait while one waits for Picos. [Picos_io] needs a call of
    [Picos_io_select.check_configured ()] by the main thread before the run. A
    fiber that is a Picos fiber does not begin tasks in place when it awaits
    them.

    Tested against Picos 0.6.0, with Picos's own test programs among others. *)

val enable : unit -> unit
(** Does nothing: a program may call [enable] to name the library. *)

val run : ?workers:int -> ?forbid:bool -> (unit -> 'a) -> 'a
(** Like [run] of Picos's schedulers: a [Dromos.run] whose first fiber has a
    computation, completed by the function's result. The fiber begins with
    cancellation forbidden if [forbid] is [true]. *)

val run_fiber : ?workers:int -> Picos.Fiber.t -> (Picos.Fiber.t -> unit) -> unit
(** [Dromos.run], with the given fiber as its first fiber. *)
