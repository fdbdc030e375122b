(** Fibers, signals and actions: the primitives that schedulers are written
    with. See {!Dromos_sched} for the whole picture and an example.

    Source: Manticore, sections 2 and 3. Where its operations abandon the
    caller's continuation, ours return a {!type-directive} that the action
    returns in turn: what runs next is a value, and the type checker sees to it
    that every path of an action says so. *)

type fiber = Fiber.ready
(** A suspended fiber in a scheduler's hands: to be run once, or given to
    another scheduler. *)

(** What an action is told about the fiber that ran under it. *)
type signal = Fiber.signal =
  | Stop
      (** It has ended, or it waits (for a promise, a lock, a branch of its own)
          and comes back through [ready]. *)
  | Preempt of fiber  (** It yields, or its time was up. *)

type directive = Fiber.directive
(** What the vproc does next. Return it at once: each is carried out once. *)

type action

val action :
  name:string -> ?ready:(fiber -> unit) -> (signal -> directive) -> action
(** A scheduler action. The function is called on the vproc, as code of the
    fiber that [run] the action, and may do what any fiber may: wait, yield,
    make fibers. While it does, the vproc belongs to the action below.

    [ready fiber] takes back a fiber that waited while this action was the
    current one and need not wait any more. It is called on any thread, the one
    timer's among them, and must neither raise nor wait: an attempt to wait
    raises [Dromos.Misplaced] in it. If it raises, the fiber's scope fails with
    that exception and the fiber goes to the root. It is not preempted. A
    [ready] that computes for longer than a millisecond delays the timers once,
    and by what the runtime lock of the thread that it is moved to takes (up to
    50 ms) from then on. Without it the next action below that has one gets the
    fiber, at last the vproc's own queue or the run's hub.

    If the function raises, the scope in which the scheduler was started fails
    with that exception, and the signal goes to the action below. Whoever was
    given the preempted fiber before has nothing in hand then: to [run] it does
    nothing, and the action is given [Stop].

    It fails with [Invalid_argument] if it returns a directive that was carried
    out before, or that concerns a fiber of another [Dromos.run], or forwards a
    fiber that has been resumed. *)

val run : action -> fiber -> directive
(** Put the action on top of the vproc's stack and resume the fiber. When it
    ends, waits or is preempted, the action is taken off and given the signal.

    Raises [Invalid_argument], naming the fiber, if the fiber has been run
    before, or belongs to another [Dromos.run]. Constant time.

    A fiber that was preempted by force ({!Preemption}) can go on only where its
    thread is. If that is another vproc, the fiber is sent there, runs until it
    next yields or waits, and comes back by [ready]; here the action gets
    [Stop]. *)

val forward : signal -> directive
(** Pass the signal to the action below: the caller's own is over. Constant
    time. *)

val stop : directive
(** [forward Stop]. *)

val fiber : ?name:string -> ?fls:Fls.storage -> (unit -> unit) -> fiber
(** A new fiber, not started, in the scope of the caller, which waits for its
    end and fails with its exception. By a fiber. *)

val spawn : ?name:string -> ?fls:Fls.storage -> (unit -> unit) -> unit
(** {!val-fiber}, given to the scheduler whose [run] the caller is in (see
    {!spawner}), else to the [ready] of its current action, else to the root:
    for code that need not know under which scheduler it runs. *)

val spawner : (fiber -> unit) Fls.key
(** Where {!spawn} puts fibers, as {!Attached.run} sets it: inherited by what is
    made in its body. *)

val scheduler :
  ?name:string ->
  ?fls:Fls.storage ->
  ?ends:(unit -> unit) ->
  (unit -> directive) ->
  fiber
(** A new fiber that ends by a directive of its own, [run action k] as a rule:
    an instance of a scheduler. It stays on the vproc on which it starts. It is
    over when one of its actions has forwarded a signal, or raised; then
    [ends ()] is called, and until then its scope waits for it. See {!Attached}
    for schedulers that are to go when they are not needed. *)

val release : fiber -> unit
(** Gives a fiber to the root: the vproc that it is pinned to, or the run's hub.
    From anywhere. *)

val capture : (fiber -> directive) -> unit
(** [capture f] suspends the calling fiber [k] and does [f k]. The function may
    {!run} [k], or another fiber, under an action: that action is code of a new
    fiber, in the caller's scope, on this vproc. It must not wait or yield
    ([Dromos.Misplaced]); if it raises, so does [capture f], unless [k] has been
    resumed by then. [yield] is [capture (fun k -> forward (Preempt k))]. *)

val yield : unit -> unit
(** Preempts the calling fiber. Also a cancellation point. *)

val atomic_yield : unit -> unit
(** In an action: gives the vproc to the action below for a while. Not a
    cancellation point, so that an action that is being cancelled can go on to
    do what it has promised: to run the fiber that it has just queued, or to
    have somebody else do so. *)

val exit : unit -> 'a
(** Ends the calling fiber, running its clean-up code ([Fun.protect]). Raises
    {!Dromos_fiber.Misplaced.Misplaced} if that is none made by {!val-fiber}. *)

(** {1 Looking at fibers} *)

val id : fiber -> int
val name : fiber -> string

val describe : Fiber.t -> string
(** For messages: ["fiber 7 (job)"]. *)

val pp : Format.formatter -> fiber -> unit

val home : fiber -> int option
(** The vproc whose domain holds the stack of a fiber preempted by force. *)

val only_on : fiber -> int option
(** The only vproc on which it should be run: its {!home}, or the one that it is
    pinned to ({!Vproc.enq_on}, {!Vproc.migrate_to}, an instance of another
    scheduler). *)
