(** Tasks of scopes between their making and their beginning: a state decides
    which thread begins a task, and each worker lists the tasks in its deque.
    Internal.

    A task begins once: either on the worker that takes the task out of a hub
    ({!take}), or in place of a fiber that awaits the task ({!claim}), from any
    place in any deque. The hub still has a claimed task, which does nothing
    when a worker takes the task.

    Claimed tasks must not fill a deque. Each worker lists the tasks it has
    pushed, oldest first, and retracts claimed tasks from the newest end of its
    deque ({!trim}). Claimed tasks below an unclaimed task pile up; when the
    list is ten times as long as the number of unclaimed tasks was at the last
    count, plus 10,000, the worker retracts all its tasks and pushes the
    unclaimed ones again. Every operation is O(1), amortized, plus [retract] and
    [push].

    The state alone decides about beginning; the list only saves room. The list
    may lack a task, or hold a task that has left the deque. A claimed task that
    the list lacks stays in the deque until a worker takes the task.

    {b Checked}: model-checked (test/fiber/model: claims, thieves and the owner
    over the shipped deque; every task begins once, and the deque is empty at
    the end), tested (test/front/orders). *)

type ('code, 'about, 'task) t = {
  state : state Atomic.t;
  mutable code : 'code;  (** for the fiber; cleared when the task begins *)
  about : 'about;
  mutable task : 'task;
      (** the hub's record; set by the maker, before {!push} *)
  mutable place : int;
      (** index in its worker's list, set by the list; [max_int]: in none *)
}

and state =
  | Fresh
  | Here  (** claimed; the hub may still have it *)
  | Gone  (** the hub has given it out *)

type ('code, 'about, 'task) own = {
  none : ('code, 'about, 'task) t;  (** for places without a task *)
  retract : 'task -> bool;  (** [Pool.retract], as the worker *)
  push : 'task -> unit;  (** [Pool.push], as the worker *)
  mutable places : ('code, 'about, 'task) t array;
      (** The list, oldest first. An array, since the collector marks a long
          chain of blocks slowly. *)
  mutable size : int;
  mutable most : int;  (** [size] at which all tasks are retracted *)
  mutable last : 'about;  (** of the newest task; tasks may share the block *)
}
(** A worker's list. The thread that uses the hub as the worker ({!Hub_door})
    may call the list's operations, which do not wait. *)

val own :
  none:('code, 'about, 'task) t ->
  retract:('task -> bool) ->
  push:('task -> unit) ->
  ('code, 'about, 'task) own

(** {1 Beginning}

    From anywhere. *)

val claim : ('code, 'about, 'task) t -> bool
(** [true]: the caller begins the task. *)

val take : ('code, 'about, 'task) t -> bool
(** By a worker with the task from a hub; [true]: the worker begins the task. *)

(** {1 A worker's list} *)

val push : ('code, 'about, 'task) own -> ('code, 'about, 'task) t -> unit
(** Hands a fresh task to the hub. *)

val trim : ('code, 'about, 'task) own -> unit
(** Retracts claimed tasks from the newest end of the deque, down to the first
    unclaimed task. *)

val is_far : ('code, 'about, 'task) own -> ('code, 'about, 'task) t -> bool
(** Thousands of tasks are above the task. The task's blocks are in no cache
    then: a fiber that begins 100,000 tasks in place, in any order but the
    newest first, takes longer than the worker with all of them as fibers. For
    another worker's task the answer is arbitrary. *)

val forget : ('code, 'about, 'task) own -> unit
(** The worker's deque is empty: empties the list, and drops its array. *)
