(** Fork and join by latent frames. Internal; see [Dromos.both] for what users
    are promised.

    A fork links a frame (four words on the minor heap) on the running fiber and
    calls its first branch. While the run's signal is up it also polls: it
    notices cancellation, and publishes the {e oldest} latent frame if nothing
    this worker published is still waiting. The join unlinks the frame; if it
    was not promoted, or was but is not started, the second branch is a plain
    call, else the fiber waits for it.

    Cost of a fork that nobody takes: about 7 ns, with two closures; no atomic
    write, no effect, no promise. *)

val both : Fiber.t -> (Fiber.t -> 'a) -> (Fiber.t -> 'b) -> 'a * 'b

(** {1 For other forks}

    Of which the frame is to be on top, see [Dromos_sched.Stealing]. *)

val unlink : Fiber.t -> ('code, 'a, 'b) Fiber.fork -> unit
(** Takes the frame off, wherever it is in the chain. *)

val outcome : Fiber.t -> ('a, 'b) Fiber.join -> 'b
(** Of a branch that somebody else claimed; waits, and if that is cancelled
    {!abandon}s it. *)

val abandon : Fiber.t -> ('a, 'b) Fiber.join -> exn -> unit
(** Cancels such a branch, since the exception is about to be raised, and waits
    until the branch is over. A failure of the branch follows that exception
    ({!Unhandled.follow}); if the exception is a cancellation, [abandon] raises
    the failure instead. *)

(** {1 Polling} *)

val wanted : Fiber.t -> bool
(** One load: {!poll} has something to look at. *)

val sign : Fiber.t -> int
(** One load: positive if {!wanted}. It changes when somebody becomes idle or
    finds something, and with whatever else {!poll} looks at. *)

val has_offer : Fiber.t -> bool
(** Something is there to be taken by who is idle: {!poll} publishes nothing. *)

val poll : Fiber.t -> unit
(** Raises {!Cancel.Cancelled} at a cancelled fiber; may publish a frame. *)

val share : Fiber.t -> unit
(** Before code that may run for long without a poll (a loop's iteration): if
    nothing that this worker published is there to be taken, its oldest latent
    frame is published, though nobody is idle yet. Some nanoseconds when there
    is nothing to do; nothing in a run with one worker. *)

val share_all : Fiber.t -> unit
(** Before code that is known to run for long: every latent frame is published
    where they are few, else a share of them as by {!share}. So a worker that
    becomes idle meanwhile, and again, finds them all. About .1 us for each
    frame; a frame is published once. *)

val debug : bool
(** [DROMOS_DEBUG=1]: every fork polls, and {!poll} checks that the context is
    the running fiber's. *)
