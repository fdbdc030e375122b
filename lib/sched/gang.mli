(** Gang scheduling of one-touch futures: data parallelism whose pieces are few
    and of about the same size.

    The gang has one ready queue, and an instance of its scheduler on each of
    its vprocs, which takes the oldest future nobody has begun, or the oldest
    fiber that can go on. When there is none the instance waits, and the vproc
    belongs to the scheduler below; so it does for a turn after each preemption.

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

    {b A future} is evaluated at most once, by whoever comes first: an instance
    that {e steals} it, or the one fiber that touches it, in place. There is no
    switch then, and never was a fiber for it.

    {b Where it belongs.} A future that was stolen is a fiber of the gang's
    {!run}, with a {!Dromos_fiber.Scope} of its own. It is cancelled with the
    fiber that made it, with the fiber that waits for it in {!touch1}, and at
    the end of {!run}. A future that nobody touches thus holds up nothing: if it
    was not stolen by the end of [run] it is never evaluated, else it is
    cancelled there; if it has failed by then, [run] raises its exception.

    {b Cost.} {!val-future1} and a touch of what nobody stole: some tens of
    nanoseconds, the queue's two compare-and-sets. A shared queue is a place of
    contention: give it pieces of microseconds (see {!Parray}), or use a work
    stealing scheduler.

    Source: Manticore, section 4 and figure 4. Two differences: in the queue are
    futures, which become fibers when they are stolen, so that those that were
    touched first leave nothing behind; and instances with nothing to do wait,
    where the paper's yield in a loop. Checked: test/sched/gang. *)

val run :
  ?vprocs:int -> ?under:(Vproc.t -> Core.fiber -> unit) -> (unit -> 'a) -> 'a
(** [run f] is [f ()] with a gang of [vprocs] vprocs (default: all), those with
    the fewest groups ({!Vproc.provision}). [f] itself runs where it is called,
    beside the instances. Returns, or raises, when the instances and all fibers
    of the gang are gone. [under] is {!Attached.run}'s: who runs the instances.
    A gang inside a gang is another one, with a queue of its own. Raises
    [Invalid_argument] if [vprocs < 1]. *)

type 'a future1

val future1 : (unit -> 'a) -> 'a future1
(** A computation that the gang may begin. By a fiber inside {!run}; raises
    [Invalid_argument] elsewhere. *)

val touch1 : 'a future1 -> 'a
(** Its value, or its exception with the backtrace. Evaluates it in place if
    nobody has begun; else waits. If the caller is cancelled meanwhile, so is
    the future, and [Cancelled] is raised when it has stopped. Once for each
    future: a second touch raises [Invalid_argument]. From any fiber, also when
    the gang is gone. *)

val cancel1 : 'a future1 -> unit
(** In place of {!touch1}, for a value that is not needed: if nobody has begun,
    nobody will; else the evaluation is cancelled, and the call returns when it
    and all its fibers have stopped. Whatever it raised is dropped. Does nothing
    if the future has been touched or cancelled. *)

val both : (unit -> 'a) -> (unit -> 'b) -> 'a * 'b
(** The parallel pair: [g] is a future while [f] runs. Exceptions are those of
    sequential evaluation: if [f] raises, [g] is cancelled, has stopped, and
    [f]'s exception is raised. *)

val size : unit -> int
(** The number of vprocs of the innermost gang around the caller; 0 outside. *)
