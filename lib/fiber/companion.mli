(** A systhread beside each thread that serves as a worker, in the same domain,
    asleep unless asked: it publishes a latent frame of a fiber that computes
    without forking, and a task of the worker's private deque where the hub has
    such deques. Internal.

    Being a systhread of the worker's domain it runs only while the worker is at
    a poll point or in C code that released the runtime lock, so it may read and
    mark the fiber's frames without atomics (see {!Fiber}). The one who asks
    nudges the domain ({!Nudge}), so that the wait for the next poll point is
    microseconds, not the 50 ms of the systhread tick.

    It sleeps in [select] on a pipe: two descriptors per worker thread. *)

type t

val start : Fiber.local -> every:(unit -> float) -> (unit -> unit) -> t
(** [start local ~every check] makes the calling thread's companion and sets
    [local.ask]. [check] is called when nobody has asked for [every ()] seconds
    (never, if negative); the companion evaluates that before it sleeps. *)

val poke : t -> unit
(** The companion wakes up and evaluates [every] anew. *)

val lives : t -> bool
(** [false] in a child that [Unix.fork] made: it has the forking thread only. *)

val stop : t -> unit
(** Ends and joins it; from a thread of its domain. *)
