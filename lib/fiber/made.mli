(** Tasks of scopes, from making to beginning: a state decides which thread
    begins a task, and each worker lists the tasks in its deque. Internal.

    A task begins once: either on the worker that takes the task out of a hub
    ({!take}), or in place of a fiber that awaits the task ({!claim}), from any
    place in any deque. A claimed task stays in the hub, and does nothing when a
    worker takes the task.

    Claimed tasks must not fill a deque. Each worker lists the tasks that the
    worker has pushed, oldest first, and retracts claimed tasks from the newest
    end of the deque ({!trim}). Claimed tasks below an unclaimed task pile up.
    When the list is ten times as long as the number of unclaimed tasks was at
    the last count, plus 10,000, the worker retracts all its tasks and pushes
    the unclaimed tasks again. Every operation is O(1), amortized, plus
    [retract] and [push].

    The state alone decides about beginning; the list only saves room. The list
    may lack a task, or hold a task that has left the deque. A claimed task that
    the list lacks stays in the deque until a worker takes the task.

    {b Checked}: model-checked (test/fiber/model: claims, thieves and the owner
    over the shipped deque; every task begins once, and the deque is empty at
    the end), tested (test/front/orders). *)

type ('about, 'task) t = ('about, 'task) state Atomic.t
(** A task. Until the task begins, it takes 18 words in four blocks: the atomic,
    the state, the hub's record, and the closures for the hub and for the
    promise. In a program with many unbegun tasks the main cost is the
    collector's work on the blocks. *)

and ('about, 'task) state =
  | Fresh : {
      code : unit -> 'a;
      result : 'a Dromos_sync.Promise.t;  (** receives the value of the code *)
      about : 'about;  (** tasks may share the block *)
      mutable task : 'task; [@owner Spawn]
          (** the hub's record; set by the maker, before {!val-push} *)
    }
      -> ('about, 'task) state
  | Here of { task : 'task }  (** claimed; the hub may still have it *)
  | Gone  (** the hub has given it out *)

type ('about, 'task) own = {
  none : ('about, 'task) t;  (** fills the places without a task *)
  retract : 'task -> bool;  (** [Pool.retract], as the worker *)
  push : 'task -> unit;  (** [Pool.push], as the worker *)
  mutable places : ('about, 'task) t array;
      (** The list, oldest first. An array, since the collector marks a long
          chain of blocks slowly. *)
  mutable size : int;
  mutable most : int;  (** [size] at which all tasks are retracted *)
  mutable last : 'about option;  (** the newest task's *)
}
(** A worker's list. The thread that uses the hub as the worker ({!Hub_door})
    may call the list's operations, which do not wait. *)

val own :
  none:('about, 'task) t ->
  retract:('task -> bool) ->
  push:('task -> unit) ->
  ('about, 'task) own

val remember : ('about, _) own -> 'about -> unit
(** The newest task's [about]: see [last]. *)

(** {1 Beginning}

    From anywhere. *)

val claim : ('about, 'task) t -> ('about, 'task) state
(** [Fresh]: the caller begins the task. *)

val take : ('about, 'task) t -> ('about, 'task) state
(** Called by a worker that got the task from a hub. [Fresh]: the worker begins
    the task. *)

(** {1 A worker's list} *)

val push : ('about, 'task) own -> ('about, 'task) t -> 'task -> unit
(** Hands a fresh task to the hub, with the hub's record. *)

val trim : ('about, 'task) own -> unit
(** Retracts claimed tasks from the newest end of the deque, down to the first
    unclaimed task. *)

val is_far : (_, _) own -> int -> bool
(** [true]: thousands of tasks are above the place, which is an earlier size of
    the list. The blocks of a task so far down are in no cache: a fiber that
    begins 100,000 tasks in place, in an order other than newest first or oldest
    first, takes twice as long as the worker takes for all of them as fibers.
    The answer is arbitrary for a place in another worker's list. For a place
    from before the worker retracted all its tasks, the answer may be [false].
*)

val same_place : (_, _) own -> int -> bool
(** The place is near enough to the list's end to stand for it in {!is_far}. *)

val forget : (_, _) own -> unit
(** The worker's deque is empty: empties the list, and drops its array. *)
