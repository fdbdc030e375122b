(** Tasks with a promise: handed to the run's hub, and begun as fibers of their
    own or in the place of a fiber that awaits them. Internal.

    A fiber that is about to wait for a task that nobody has begun runs it as a
    plain call, wherever the task stands in a worker's deque: waiting for it
    otherwise means to suspend, with the stack and a fiber for the task, at
    every task that is not the newest. The fiber waits for the task in any case,
    so no lock is re-entered that the two would not have fought for anyway, and
    nothing else comes on top of it.

    {b Not in place} are a task
    - whose cancellation node is not the caller's: whatever cancels the task
      must cancel the caller, and the other way round, since a caller that can
      be cancelled alone must not be held up;
    - that 64 others have been begun on top of each other for: each takes some
      stack, which every minor collection scans while the fiber runs;
    - that is far from the newest ones, and from the one before
      ({!Made.is_far});
    - that gave way to older ones ({!Turns}), or was made by no fiber of the
      run;
    - under a handler of the program's, which a fiber of its own would not see;
    - of a fiber that is pinned, masked, or interruptible;
    - on a hub whose order of tasks is a policy of its own, unless the hub can
      give back the newest one. *)

val task :
  Fiber.t ->
  Fiber.scope ->
  ?name:string ->
  'a Dromos_sync.Promise.t ->
  (Fiber.t -> unit) ->
  unit
(** [task fiber scope promise code], by the fiber, or by a thread that runs
    [Fiber.nobody], publishes a task that runs [code], which must not raise and
    resolves the promise, with the caller's storage. If it raises (a signal
    handler did) the task was not published. *)
