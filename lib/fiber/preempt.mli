(** Preemption: taking a fiber off its worker although it does not ask for it.
    Internal; programs use [Dromos.Sched.Preemption].

    A continuation cannot be captured at an arbitrary poll point, so the
    {e thread} stops there, with the fiber on its stack, and another systhread
    of the same domain acts for the worker: it finds the preempted fiber in its
    hands, gives it to the current scheduler action, and goes on. To resume the
    fiber is to wake its thread and have the one that acts now wait as a spare.
    So a preempted fiber can go on on its own worker only. When it goes on it
    publishes its oldest latent frame.

    A clock, a thread of the service domain, looks every quantum whether a
    worker still runs the piece of a fiber that it ran the last time, and if so
    marks it and nudges its domain. The mark is seen at the next poll point of
    OCaml code, where nothing is done if the thread is in the kernel, in a
    section that is masked ({!Dromos_service.Mask}, [masked] of the fiber), or
    not in a fiber. *)

type mode = Forced | Polled  (** only at forks, [check]s and the like *)
type t

val start : Fiber.run -> quantum:float -> mode -> t
(** From now on for the workers of the run, [quantum] in seconds. Calls that
    agree in all three share one clock. While a [Forced] one is on for the run,
    [Polled] ones do nothing. Some microseconds, and for the first one a thread
    of the service domain. *)

val stop : t -> unit
(** Once for each [start]. *)

val signal : Fiber.worker -> unit
(** The running piece's quantum is over now, if a clock is on for the run. From
    anywhere. *)

type counts = { preemptions : int; refused : int; parked : int; threads : int }

val counts : Fiber.run -> counts

(** {1 For those who serve} *)

val idle : Fiber.worker -> bool
(** No thread of the worker's crowd holds a fiber: it may be left. *)

val dismiss : Fiber.worker -> owner:Fiber.local -> unit
(** By the thread that acts for the worker, when it serves no more. If that is
    [owner], the thread which began, all others are gone when it returns. Else
    the owner acts from here on, which will find that it may leave too, and the
    calling thread is to end. *)

val leave : Fiber.worker -> outer:Fiber.crowd -> unit
(** The worker's crowd is over, and the one before it, if there is one, comes
    back; the clock does not look at the calling thread any more. *)
