(** Fork and join by latent frames. Internal; see [Dromos.both] for the promises
    to users.

    A fork links a frame (four words on the minor heap) to the running fiber and
    calls the first branch. While the run's signal is positive the fork also
    polls: the poll notices cancellation, and publishes the {e oldest} latent
    frame unless an earlier publication of the worker still waits for a taker.
    The join unlinks the frame. If the frame is still latent, or its published
    branch has not begun, the second branch is a plain call; otherwise the fiber
    waits for the branch.

    A fork whose branch no worker takes costs about 7 ns, with two closures: no
    atomic write, no effect, no promise. In the debug mode every fork polls, and
    {!poll} checks that the context belongs to the running fiber. *)

val both : Fiber.t -> (Fiber.t -> 'a) -> (Fiber.t -> 'b) -> 'a * 'b

(** {1 For other forks}

    For schedulers with forks of their own, see [Dromos_sched.Stealing]. *)

val outcome : Fiber.t -> ('own, 'b) Types.join -> 'b
(** The result of a branch that another task claimed; waits for the branch. If
    the wait is cancelled, [outcome] {!abandon}s the branch. *)

val abandon : Fiber.t -> ('own, 'b) Types.join -> exn -> unit
(** Cancels a branch that another task claimed, since the exception is about to
    be raised, and waits until the branch is over. A failure of the branch
    follows the exception ({!Unhandled.follow}); if the exception is a
    cancellation, [abandon] raises the failure instead. *)

(** {1 Polling} *)

val wanted : Fiber.t -> bool
(** [true]: {!poll} has work to do. Costs one load. *)

val sign : Fiber.t -> int
(** The run's signal: positive if {!wanted}. The number changes when a worker
    becomes idle or finds work, and with every other request to {!poll}. Costs
    one load. *)

val has_offer : Fiber.t -> bool
(** A published task waits for an idle worker: {!poll} publishes nothing. *)

val poll : Fiber.t -> unit
(** Raises {!Cancel.Cancelled} in a cancelled fiber; may publish a frame. *)

val share : Fiber.t -> unit
(** Publishes the fiber's oldest latent frame before an idle worker asks, unless
    an earlier publication of the worker still waits for a taker. Use [share]
    before code that may run for long without a poll, such as an iteration of a
    loop. Costs some nanoseconds when there is nothing to do, and nothing in a
    run with one worker. *)

val share_all : Fiber.t -> unit
(** Publishes every latent frame where the frames are few, else a share of the
    frames as {!share} does. Use [share_all] before code that is known to run
    for long. A worker that becomes idle later, even several times, then finds a
    branch. Costs about .1 us for each frame; a frame is published once. *)
