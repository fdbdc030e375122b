(** Fibers, signals and actions: the primitives of which schedulers are made.
    See {!Dromos_sched} for the whole picture and an example.

    Source: Manticore, sections 2 and 3. Manticore's operations abandon the
    caller's continuation. The operations here return a {!type-directive}, and
    the action returns the directive in turn: the next step of the vproc is a
    value, and the type checker makes every path of an action choose a step. *)

type fiber = Dromos_fiber.Types.handle
(** A handle of a suspended fiber. A scheduler that holds a handle runs the
    fiber once, or gives the handle to another scheduler. *)

(** Why the fiber that ran under an action has left the vproc. *)
type signal = Dromos_fiber.Types.signal =
  | Stop
      (** The fiber has ended, or waits (for a promise, a lock, a branch of its
          own). A waiting fiber comes back through [ready]. *)
  | Preempt of fiber  (** The fiber yields, or its time was up. *)

type directive = Dromos_fiber.Types.directive
(** The next step of the vproc. Return a directive at once: the vproc carries
    out each directive once. *)

type action

val action :
  name:string -> ?ready:(fiber -> unit) -> (signal -> directive) -> action
(** A scheduler action. The vproc calls the function as code of the fiber that
    called [run]. The function may wait, yield and make fibers, like any code of
    a fiber. While the function waits or yields, the vproc belongs to the action
    below.

    [ready fiber] takes back a fiber that waited under this action and is
    runnable again. Any thread may call [ready], the timer's thread included.
    [ready] is not preempted, and must neither raise nor wait: an attempt to
    wait raises [Dromos.Misplaced] inside [ready]. If [ready] raises, the
    fiber's scope fails with the exception and the fiber goes to the root. If
    [ready] computes for longer than a millisecond on the timer's thread, the
    timers are late once; from then on a separate thread calls the scheduler's
    [ready], and a timer waits for the runtime lock of the separate thread (up
    to 50 ms). Under an action without [ready], the fiber goes to the next
    action below with a [ready]; without any, to the vproc's own queue or the
    run's hub.

    If the function raises, the scope in which the scheduler was started fails
    with the exception, and the signal goes to the action below. If the function
    had already given the preempted fiber away, the given handle is now empty:
    [run] of an empty handle runs nothing, and the action gets [Stop].

    The action fails with [Invalid_argument] if the function returns a directive
    that was carried out before, a directive for a fiber of another
    [Dromos.run], or forwards a fiber that has been resumed. *)

val run : action -> fiber -> directive
(** Put the action on top of the vproc's stack and resume the fiber. When the
    fiber ends, waits or is preempted, the vproc takes the action off the stack
    and calls the action with the signal.

    Raises [Invalid_argument], naming the fiber, if the fiber has been run
    before, or belongs to another [Dromos.run]. Constant time.

    A fiber that was preempted by force ({!Preemption}) can go on only on the
    vproc of its thread. On another vproc, [run] sends the fiber home: the fiber
    runs there until its next yield or wait, and comes back by [ready]; the
    action gets [Stop] here. *)

val forward : signal -> directive
(** Pass the signal to the action below, and end the caller's own action.
    Constant time. *)

val stop : directive
(** [forward Stop]. *)

val fiber : ?name:string -> ?fls:Fls.storage -> (unit -> unit) -> fiber
(** A new fiber, not started, in the scope of the caller. The scope waits for
    the fiber's end and fails with the fiber's exception. Call [fiber] in a
    fiber. *)

val spawn : ?name:string -> ?fls:Fls.storage -> (unit -> unit) -> unit
(** Makes a {!val-fiber} and gives the fiber to a scheduler: the scheduler whose
    [run] is around the caller (see {!with_spawner}), else the [ready] of the
    caller's current action, else the root. For code that works under any
    scheduler. *)

val with_spawner : (fiber -> unit) -> (unit -> 'a) -> 'a
(** [with_spawner give f] is [f ()]; {!spawn} in [f], and in fibers made there,
    gives its fibers to [give]. {!spawn} in another [Dromos.run] does not.
    {!Attached.run} does this for its body. *)

val set_spawner_in : fiber -> (fiber -> unit) -> unit
(** {!with_spawner} for the code of a fiber. Call [set_spawner_in] in the
    scheduler that holds the handle. *)

val scheduler :
  ?name:string ->
  ?fls:Fls.storage ->
  ?ends:(unit -> unit) ->
  (unit -> directive) ->
  fiber
(** A new fiber that ends with a directive of its own, usually [run action k]:
    an instance of a scheduler. The instance stays on the vproc on which it
    starts. An instance is over when one of its actions has forwarded a signal
    or raised; [ends ()] is called then. The scope waits until the instance is
    over. See {!Attached} for schedulers that end when the program does not need
    them any more. *)

val release : fiber -> unit
(** Gives a fiber to the root: to the vproc that the fiber is pinned to, or to
    the run's hub. From anywhere. *)

val capture : (fiber -> directive) -> unit
(** [capture f] suspends the calling fiber [k] and carries out the directive
    [f k]. The function may {!run} [k], or another fiber, under an action; the
    action is code of a new fiber, in the caller's scope, on this vproc. The
    function must not wait or yield ([Dromos.Misplaced]). If the function
    raises, [capture f] raises, unless [k] has been resumed by then. [yield] is
    [capture (fun k -> forward (Preempt k))]. *)

val yield : unit -> unit
(** Preempts the calling fiber. Also a cancellation point. *)

val atomic_yield : unit -> unit
(** In an action: gives the vproc to the action below for a turn. Not a
    cancellation point, so a cancelled action can still finish its work: run the
    fiber that it has just queued, or leave the fiber to another instance. *)

val exit : unit -> 'a
(** Ends the calling fiber, and runs its clean-up code ([Fun.protect]). Raises
    {!Dromos_fiber.Misplaced.Misplaced} unless {!val-fiber} has made the calling
    fiber. *)

(** {1 Looking at fibers} *)

val id : fiber -> int
val name : fiber -> string

val describe : Dromos_fiber.Fiber.t -> string
(** For messages: ["fiber 7 (job)"]. *)

val pp : Format.formatter -> fiber -> unit

val home : fiber -> int option
(** The vproc whose domain has the stack of a fiber preempted by force. *)

val only_on : fiber -> int option
(** The only vproc that may run the fiber: the fiber's {!home}, or the vproc
    that the fiber is pinned to ({!Vproc.enq_on}, {!Vproc.migrate_to}, an
    instance of another scheduler). *)
