(** Gang scheduling of one-touch futures: data parallelism with few pieces of
    about the same size.

    The gang has one ready queue, and an instance of its scheduler on each of
    its vprocs. An instance takes the oldest future that has not begun, or the
    oldest runnable fiber. While the queue has neither, the instance waits, and
    the vproc belongs to the scheduler below. The scheduler below also gets a
    turn after each preemption.

    {[
      # module Gang = Dromos.Sched.Gang;;
      module Gang = Dromos.Sched.Gang
      # let rec sum a lo hi =
          if hi - lo <= 100 then
            List.fold_left ( + ) 0 (List.init (hi - lo) (fun i -> a.(lo + i)))
          else
            let mid = (lo + hi) / 2 in
            let right = Gang.future1 (fun () -> sum a mid hi) in
            let left = sum a lo mid in
            left + Gang.touch1 right
      val sum : int array -> int -> int -> int = <fun>
      # Dromos.run (fun () ->
            Gang.run (fun () -> sum (Array.init 10_000 Fun.id) 0 10_000))
      - : int = 49995000
    ]}

    {b A future} is evaluated at most once, by an instance that {e steals} the
    future, or by the fiber that touches the future, in place. Evaluation in
    place needs no switch, and the future never becomes a fiber.

    {b Where it belongs.} A stolen future is a fiber of the gang's {!run}, with
    a {!Dromos_fiber.Scope} of its own. The future is cancelled with the fiber
    that made it, with the fiber that waits for it in {!touch1}, and at the end
    of {!run}. An untouched future therefore delays no fiber: if not stolen by
    the end of [run], the future is never evaluated; if stolen, the future is
    cancelled at the end. If an untouched future has failed by then, [run]
    raises its exception.

    {b Cost.} {!val-future1} and a touch of a future that was not stolen: some
    tens of nanoseconds, for the queue's two compare-and-sets. The vprocs
    contend for a shared queue: use pieces of microseconds (see {!Parray}), or a
    work stealing scheduler.

    Source: Manticore, section 4 and figure 4. Two differences: the queue holds
    futures, which become fibers when they are stolen, so a future that is
    touched first leaves no fiber behind; and instances without work wait, while
    the paper's instances yield in a loop. Checked: test/sched/gang. *)

val run :
  ?vprocs:int -> ?under:(Vproc.t -> Core.fiber -> unit) -> (unit -> 'a) -> 'a
(** [run f] is [f ()] with a gang of [vprocs] vprocs (default: all), chosen for
    having the fewest groups ({!Vproc.provision}). [f] runs where the caller
    runs, beside the instances. [run] returns, or raises, when the instances and
    all fibers of the gang are gone. [under]: which scheduler runs the
    instances, as in {!Attached.run}. A gang inside a gang has a queue of its
    own. Raises [Invalid_argument] if [vprocs < 1]. *)

type 'a future1

val future1 : (unit -> 'a) -> 'a future1
(** A computation that the gang may begin. By a fiber inside {!run}; raises
    [Invalid_argument] elsewhere. *)

val touch1 : 'a future1 -> 'a
(** The future's value, or its exception with the backtrace. If the future has
    not begun, [touch1] evaluates it in place; otherwise [touch1] waits. If the
    caller is cancelled while waiting, the future is cancelled too, and
    [Cancelled] is raised when the future has stopped. Touch each future once: a
    second touch raises [Invalid_argument]. From any fiber, even when the gang
    is gone. *)

val cancel1 : 'a future1 -> unit
(** Use [cancel1] in place of {!touch1} if the value is not needed. A future
    that has not begun never begins. A running evaluation is cancelled, and
    [cancel1] returns when the evaluation and all its fibers have stopped; an
    exception of the evaluation is dropped. Has no effect if the future has been
    touched or cancelled. *)

val both : (unit -> 'a) -> (unit -> 'b) -> 'a * 'b
(** The parallel pair: [g] is a future while [f] runs. Exceptions are as in
    sequential evaluation: if [f] raises, [both] cancels [g], waits until [g]
    has stopped, and raises [f]'s exception. *)

val size : unit -> int
(** The number of vprocs of the innermost gang around the caller; 0 outside. *)
