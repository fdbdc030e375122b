(** The publisher thread (companion): a systhread beside each thread that serves
    as a worker, in the same domain. The companion sleeps until a worker asks,
    and then publishes a latent frame of a fiber that computes without forking,
    and a task of the worker's private deque where the hub has such deques.
    Internal.

    A companion runs only while its worker is at a poll point, or in C code that
    released the runtime lock. The companion may therefore read and mark the
    fiber's frames without atomics (see {!Fiber}). The asking worker nudges the
    companion's domain ({!Nudge}), so that the wait for the next poll point
    takes microseconds instead of the 50 ms of the systhread tick.

    Owner of [ask], [watch] and [reads_frames] of {!Types.type-local}.

    A companion sleeps in [select] on a pipe: two descriptors per worker thread.
*)

type t

val start : Types.local -> every:(unit -> float) -> (unit -> unit) -> t
(** [start local ~every check] makes the calling thread's companion and sets
    [local.ask]. The companion calls [check] after [every ()] seconds without a
    request (never, if [every ()] is negative), and evaluates [every ()] before
    each sleep. *)

val set_watch : t -> (unit -> unit) -> unit
(** Sets [local.watch], until {!stop}. *)

val poke : t -> unit
(** Wakes the companion, which then evaluates [every] again. *)

val lives : t -> bool
(** [false] in a child that [Unix.fork] made: the child has only the forking
    thread. *)

val stop : t -> unit
(** Ends the companion and joins its thread. Called on a thread of the
    companion's domain. *)
