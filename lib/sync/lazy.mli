(** Lazy values that any number of tasks of every scheduler may force at once.

    When two tasks force a lazy value of the standard library at once, the value
    raises [Undefined] or is computed twice. Here the first task computes, and
    the other tasks wait, suspended, for its result.

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
    {!Dromos_suspend.self}. A task whose scheduler does not number its tasks
    waits for itself. A computation may also wait for another task that forces
    the value, such as a published branch of its own fork. In these two cases
    the result is a deadlock, and is reported as a deadlock.

    {b Exceptions} are kept, with the backtrace of the first time, and raised by
    every force.

    {b Cancellation} is not kept. If the computing task is cancelled (its
    computation raises an exception that a scheduler has registered with
    {!Dromos_suspend.add_cancellation}), the value stays uncomputed, and the
    task raises its cancellation. The task that has waited longest then begins
    the computation again, or if no task waits, the next task that forces the
    value. A computation that may be cancelled should therefore tolerate a
    second beginning. A task that is cancelled while it waits leaves in O(1),
    and the computation goes on. If the computing task never continues (its
    scheduler drops the task), the value stays uncomputed for ever.

    {b Cost.} Forcing a computed value is one atomic read. The actions of the
    computation happen before the actions after the force.

    Source: the thesis {e Effectively composing concurrency libraries}, chapter
    5 (its three states), with backtraces, cancellation and events added; the
    idea is GHC's blackholing (Harris, Marlow, Peyton Jones,
    {e Haskell on a shared-memory multiprocessor}, 2005). Checked, in
    test/sync/messages: dscheck of forcing, waiting, leaving and cancellation of
    the computing task, with seeded bugs. *)

type 'a t

val from_fun : (unit -> 'a) -> 'a t
(** [from_fun f] is computed by [f] when forced. *)

val from_val : 'a -> 'a t
(** A value that is computed from the start. *)

val force : 'a t -> 'a
(** Returns the value, and computes the value if no task has. Waits while
    another task computes the value. *)

val force_event : 'a t -> 'a Event.t
(** Possible whenever no other task is computing the value. If the value is
    uncomputed, the select chooses this event at once, and the computation runs
    afterwards, like a function of {!Event.wrap}. A {!Event.timeout} in the
    select therefore bounds the waiting for another task, not the task's own
    computation. *)

val is_val : 'a t -> bool
(** [is_val t] is [true] if [t] has been computed, without an exception. *)

val peek : 'a t -> ('a, exn * Printexc.raw_backtrace) result option
(** The value or exception computed, [None] before; never waits. *)

val map : ('a -> 'b) -> 'a t -> 'b t
(** [map f t] is [from_fun (fun () -> f (force t))]. *)
