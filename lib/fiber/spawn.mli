(** Tasks with a promise: publishing a task, and beginning a task as a fiber or
    in place. Internal.

    A fiber that is about to wait for a task begins the task in place, as a
    plain call, if no thread has begun the task. The task may be at any position
    in any worker's deque ({!Made}). Waiting would suspend the fiber, and make
    another fiber with a stack for the task. The fiber waits for the task either
    way, so the call deadlocks on no lock that a separate fiber would not
    deadlock on, and no other code runs on top of the fiber.

    {b A task does not begin in place} if the task
    - has another cancellation node than the fiber: a cancellation must reach
      both or neither, since a task in place delays the fiber's own
      cancellation;
    - would be on top of 64 other tasks: every minor collection scans the stack;
    - is far from the newest task ({!Made.is_far});
    - was made by a thread outside the run;
    - is awaited under an effect handler of the program's, which a separate
      fiber would not see;
    - is awaited by a pinned, masked or interruptible fiber, or by a fiber with
      a {!Guest}, which could be cancelled without the task;
    - is on a hub with an order of its own, unless the task is the newest and
      the hub can retract the newest task.

    If a task gave way to older tasks ({!Turns}), the awaiting fiber gives way
    in the task's stead, and then begins the task in place. *)

val task :
  Fiber.t ->
  Types.scope ->
  ?name:string ->
  failed:Types.failed ->
  'a Dromos_sync.Promise.t ->
  (unit -> 'a) ->
  unit
(** [task fiber scope ~failed promise code] publishes a task of the scope;
    [fiber] is the calling fiber, or [Fiber.nobody] on a thread without a fiber.
    The scope has already counted the task. The task runs [code] with the
    caller's storage, resolves the promise with the value or lets [failed]
    resolve the promise, and leaves the scope. If [task] raises (a signal
    handler did), the task was not published. *)
