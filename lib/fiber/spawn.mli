(** Tasks with a promise: publishing, and beginning as a fiber or in place.
    Internal.

    A fiber that is about to wait for a task begins the task in place, as a
    plain call, if no thread has begun the task: from any position in any
    worker's deque ({!Made}). Waiting would suspend the fiber and make another
    fiber, with a stack, for the task. The fiber waits for the task in either
    case, so the call re-enters no lock that fiber and task would not both have
    wanted, and no other code runs on top of the fiber.

    {b Not in place} begins a task
    - with another cancellation node than the fiber's: a cancellation must reach
      both or neither, since a task in place delays the fiber's own one;
    - on top of 64 others: every minor collection scans the stack;
    - far from the newest ({!Made.is_far});
    - made by a thread outside the run;
    - awaited under an effect handler of the program's, which a separate fiber
      would not see;
    - awaited by a pinned, masked or interruptible fiber, or one with a
      {!Guest}, which could be cancelled without the task;
    - on a hub with an order of its own, except for the newest task if the hub
      can retract that.

    A task that gave way to older ones ({!Turns}) begins in place after its
    awaiter has given way in its stead. *)

val task :
  Fiber.t ->
  Fiber.scope ->
  ?name:string ->
  failed:Fiber.failed ->
  'a Dromos_sync.Promise.t ->
  (unit -> 'a) ->
  unit
(** [task fiber scope ~failed promise code], by the fiber, or by a thread that
    runs [Fiber.nobody], publishes a task of the scope, a part that has entered:
    the task runs [code] with the caller's storage, resolves the promise with
    its value or lets [failed] do so, and leaves the scope. If [task] raises (a
    signal handler did) the task was not published. *)
