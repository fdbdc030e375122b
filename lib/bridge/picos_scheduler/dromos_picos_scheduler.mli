(** A run of Dromos as one of Picos's schedulers.

    A program that links this library (it need not name it) may call code of
    Picos in any fiber of [Dromos.run]: [Picos_std_structured],
    [Picos_std_sync], [Picos_io], Moonpool's futures. Their effects
    ([Trigger.Await], [Fiber.Current], [Fiber.Spawn], [Fiber.Yield],
    [Computation.Cancel_after]) are answered by our fibers, workers and timer;
    code of both kinds waits for each other.

    {[
      Dromos.run (fun () ->
          let channel = Dromos.Channel.create () in
          Picos_std_structured.Flock.join_after (fun () ->
              Picos_std_structured.Flock.fork (fun () ->
                  Dromos.Channel.send channel 42);
              Dromos.Channel.recv channel))
    ]}

    [dromos_picos] is for the other direction: our structures in fibers of
    another scheduler of Picos. It needs no Dromos, hence the two libraries.

    {b Fibers.} A Dromos fiber is one Picos fiber, made when it first asks, and
    inherits nothing from the fiber that made it. A branch of a fork is the
    forking fiber, unless another worker takes the branch.

    {b Spawning.} [Picos.Fiber.spawn] makes a fiber of the {e run}, not of the
    scope that is open where it is called: structures of Picos decide when such
    a fiber is to end, and the run waits for it. It inherits fiber-local storage
    of Dromos. Its function is called also if the fiber, or the run, is
    cancelled by then; an exception that it lets out fails the run, which is
    then cancelled.

    {b A scope that is cancelled} cancels the computations of the fibers in it,
    with [Picos_std_structured.Control.Terminate] (with [Dromos.Cancelled] where
    [picos_std] was not there when this library was built). So a [Flock] or
    [Bundle] that was opened in the scope ends, with all of its fibers; one
    around the scope goes on. A fiber that waits is told at once, one that
    computes at its next operation of Picos. Where [Terminate] leaves the
    cancelled scope it counts as [Dromos.Cancelled]. In [Dromos.protect] nothing
    of this happens.

    {b A computation of Picos that is cancelled} also ends what its fiber waits
    for outside of Picos: [Dromos.Channel.recv], [Dromos.sleep], and the rest,
    with the exception and backtrace of that computation. It does not reach
    tasks and branches that the fiber has started, which have computations of
    their own; nor what is in [Dromos.protect].

    {b Forbidden} ([Picos.Fiber.forbid], [Control.protect]) is either
    cancellation, in operations of Picos and of Dromos. Branches that other
    workers take, and tasks, do not inherit that: in code with forks use
    [Dromos.protect].

    {b Limits.} Fibers of [Dromos.Fifo] are one Picos fiber together, all of
    which wait while one waits for Picos. [Picos_io] wants
    [Picos_io_select.check_configured ()] to be called by the main thread before
    the run. A fiber with a Picos fiber does not begin tasks in place when it
    awaits them.

    Tested against Picos 0.6.0, with its own test programs among others. *)

val enable : unit -> unit
(** Nothing: for programs that want to name the library. *)

val run : ?workers:int -> ?forbid:bool -> (unit -> 'a) -> 'a
(** As [run] of Picos's schedulers: [Dromos.run], whose first fiber has a
    computation that the function's result completes; it begins with
    cancellation forbidden if [forbid] is [true]. *)

val run_fiber : ?workers:int -> Picos.Fiber.t -> (Picos.Fiber.t -> unit) -> unit
(** [Dromos.run], with that for its first fiber. *)
