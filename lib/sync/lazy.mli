(** Lazy values that any number of tasks may force at once, of every scheduler.

    The standard library's lazy values raise [Undefined] when two tasks force
    one of them at the same time, or compute twice. Here the first one computes,
    and the others wait, suspended, for what it computes.

    {[
      # open Dromos_sync
      # let computed = Atomic.make 0 in
        let answer = Lazy.from_fun (fun () -> Atomic.incr computed; 42) in
        let d = Domain.spawn (fun () -> Lazy.force answer) in
        let here = Lazy.force answer in
        (here + Domain.join d, Atomic.get computed)
      - : int * int = (84, 1)
    ]}

    {b Recursion.} A task that forces the value that it is computing raises the
    standard library's [Lazy.Undefined]. Tasks are told apart by
    {!Dromos_suspend.self}; one whose scheduler does not number its tasks waits
    for itself, as does a computation that waits for another task, such as a
    promoted branch of its own fork, that forces the value: a deadlock, which is
    reported as such.

    {b Exceptions} are kept, with the backtrace of the first time, and raised by
    every force. {b Cancellation} is not: if the task that computes is cancelled
    (its computation raises what a scheduler has registered with
    {!Dromos_suspend.add_cancellation}) the value stays uncomputed. The
    cancelled task raises its cancellation; the computation begins anew in the
    task that has waited longest, or if nobody waits in the next one to force.
    So a computation that may be cancelled should bear being begun again. Who is
    cancelled while it waits leaves in O(1), and the computation goes on. A task
    that never continues (its scheduler drops it) leaves the value uncomputed
    for ever.

    {b Cost.} Forcing a value that has been computed is one atomic read. What
    happened in the computation happens before what follows the force.

    Source: the thesis {e Effectively composing concurrency libraries}, chapter
    5 (its three states), with backtraces, cancellation and events; the idea is
    GHC's blackholing (Harris, Marlow, Peyton Jones,
    {e Haskell on a shared-memory multiprocessor}, 2005). Checked, in
    test/sync/messages: dscheck of forcing, waiting, leaving and cancellation of
    who computes, with seeded bugs. *)

type 'a t

val from_fun : (unit -> 'a) -> 'a t
(** Computed by the function, when it is forced. *)

val from_val : 'a -> 'a t
(** Computed from the start. *)

val force : 'a t -> 'a
(** The value, computed now if nobody has. Waits while another task computes it.
*)

val force_event : 'a t -> 'a Event.t
(** Possible whenever nobody else is computing the value. If it has not been
    computed, choosing this event is to compute it: the choice is made at once,
    and the computation runs like what is behind {!Event.wrap}, so that a
    {!Event.timeout} beside it bounds the waiting for another task, not one's
    own computing. *)

val is_val : 'a t -> bool
(** Whether it has been computed, to a value. *)

val peek : 'a t -> ('a, exn * Printexc.raw_backtrace) result option
(** What it has been computed to, if it has; never waits. *)

val map : ('a -> 'b) -> 'a t -> 'b t
(** [map f t] is [from_fun (fun () -> f (force t))]. *)
