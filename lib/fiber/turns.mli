(** Turns: the fiber level's addition to a hub, so that every runnable task
    begins. Internal.

    {b The promise.} A runnable task, fiber or branch begins after a bounded
    number of slices of some worker that is not computing, whatever other fibers
    yield, wake or spawn. Hubs take from the injector, first in first out, once
    in a while ({!Dromos_hub.Central}), and thieves take from the deques of
    other workers. Some tasks are in reach of neither. This module moves them to
    the injector:

    - {e Old tasks in a deque.} A worker runs its newest task first. Every 61st
      fiber that the worker wakes goes to the injector. The 61st task that the
      worker makes goes to the injector too, then the 122nd after that task, and
      so on until the worker rests. A chain of tasks, each of which makes the
      next task and ends, thus gives way to the tasks below. The distance grows,
      because a task that gives way lets an older task begin before newer tasks
      are over, and the older task is a larger piece of a divided problem as a
      rule. At most the square root of n/30 give way, of n tasks made, and each
      lets as many older tasks begin as the deque has at that time. A fiber that
      awaits such a task before the task has begun gives way in the task's
      stead, to some tens of tasks, and begins the task in place ({!Spawn}).
    - {e Latent frames of a fiber that yields}: see {!Yields}.
    - {e Work that only a computing worker reaches}: its fiber's latent frames,
      and tasks in a private deque. A worker that has run 64 slices, and has not
      looked for 10 ms, asks the companions of the other workers to publish
      some, as a worker does that goes to sleep ({!Crew}).

    A worker computes while it is in a fiber that does not fork, wait or yield.
    The worker calls all functions.

    {b Checked}: tested for each hub (test/front/fairness); the hubs' own part
    is model-checked (test/kernel). *)

type t
(** A worker's counts. Only the worker uses them. *)

val create : unit -> t

(** The hub's way of keeping new tasks, in deques of the hub's workers, newest
    task first. *)
type deques =
  | No_deques  (** no such deques, or a policy of the hub's own *)
  | Public  (** thieves take tasks from the deques *)
  | Private  (** a task moves only with the help of the deque's worker *)

val steps_back : t -> deques -> Dromos_hub.Hub.reason -> bool
(** Counts a task that the worker is about to push. [true]: the task must go to
    the injector instead. *)

val next_steps_back : t -> unit
(** Sends the next fiber that the worker wakes to the injector. *)

val reason_back : Dromos_hub.Hub.reason -> Dromos_hub.Hub.reason
(** The reason with which such a task goes to the injector: a new task goes like
    a yielding task, so that the hub lets the older tasks in the deque go first.
*)

val rested : t -> unit
(** The worker has found no work. *)

val time_to_look : t -> slices:int -> bool
(** Called after a slice, with the number of slices so far. [true]: the worker
    must look around now. Costs a comparison in most cases, then a read of the
    clock. *)
