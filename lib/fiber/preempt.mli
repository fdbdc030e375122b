(** Preemption: a fiber leaves its worker without asking. Internal; programs use
    [Dromos.Sched.Preemption].

    A continuation cannot be captured at an arbitrary poll point. The {e thread}
    therefore stops there, with the fiber on its stack, and another systhread of
    the same domain acts for the worker. The other thread receives the preempted
    fiber's handle, gives the handle to the current scheduler action, and goes
    on. To resume the fiber, the acting thread wakes the fiber's thread and
    becomes a spare. A preempted fiber can therefore go on only on its own
    worker. When the fiber goes on, it publishes its oldest latent frame.

    {v
      a worker thread:
      acts     --preempts its fiber-------> parked  (its fiber on the stack)
      parked   --its fiber is resumed-----> acts
      acts     --resumes a parked thread--> spare
      spare    --another thread parks-----> acts
    v}

    The clock, a thread of the service domain, looks four times in a quantum
    which piece of a fiber each worker runs. If a worker has run one piece for a
    whole quantum, the clock marks the worker and nudges its domain. The thread
    sees the mark at the next poll point of OCaml code. The thread ignores the
    mark in the kernel, in a masked section ({!Dromos_service.Mask}, [masked] of
    the fiber), or outside a fiber.

    Owner of {!Types.type-worker_threads}, of [threads] of a worker, [slot] of a
    thread and [interruptible] of a fiber. *)

type mode = Forced | Polled  (** only at safe points: forks, [check]s *)
type t

val start : Types.run -> quantum:float -> mode -> t
(** Starts preemption of the run's workers, with [quantum] in seconds. Calls
    with equal arguments share a clock. While the run has a [Forced] clock, the
    run's [Polled] clocks do nothing. Costs some microseconds; the first call
    makes a thread of the service domain. *)

val stop : t -> unit
(** Called once for each [start]. *)

val signal : Types.worker -> unit
(** Ends the quantum of the running piece now, if a clock is on for the run. Any
    thread may call [signal]. *)

type counts = { preemptions : int; refused : int; parked : int; threads : int }

val counts : Types.run -> counts

(** {1 For threads that serve} *)

val idle : Types.worker -> bool
(** [true]: no thread of the worker holds a preempted fiber, so the worker may
    be left. *)

val interruptible : Fiber.t -> (unit -> 'a) -> 'a
(** Runs the fiber's function; a preemption meanwhile raises [Cancelled] if the
    fiber is cancelled. *)

val enter :
  Types.worker -> Types.local -> serve:(unit -> unit) -> Types.worker_threads
(** The calling thread begins to act for the worker, as the first of a new group
    of threads. [serve] is the code of threads that are made for the worker. The
    result is the group before. *)

val dismiss : Types.worker -> owner:Types.local -> unit
(** Called by the thread that acts for the worker, when the thread stops
    serving. If the caller is [owner], the thread that began to serve, [dismiss]
    returns after all other threads have ended. Otherwise the owner acts from
    here on and finds that it may leave too, and the calling thread must end. *)

val leave : Types.worker -> outer:Types.worker_threads -> unit
(** Ends the worker's group of threads, and restores the group before. The clock
    stops looking at the calling thread. *)
