(** Fibers as kernel tasks: starting, suspending, resuming, yielding; and
    publishing a latent frame, since a fiber that suspends publishes its own.
    Internal.

    Every fiber runs under its own handler, on a worker's thread, inside one
    kernel task; a suspended fiber is a continuation held by a resumer, and
    comes back as another kernel task. *)

type _ Effect.t += Yield : unit Effect.t

val publish :
  Fiber.run ->
  Dromos_hub.Hub.reason ->
  Dromos_kernel.Pool.context Dromos_hub.Hub.task ->
  unit
(** Hands a kernel task to the run's hub: pushed by the calling worker if the
    caller serves that run, submitted from outside else. From anywhere. *)

val start :
  Dromos_kernel.Pool.context ->
  scope:Fiber.scope ->
  cancel:Fiber.cancel ->
  info:Fiber.info ->
  (Fiber.t -> unit) ->
  unit
(** [start context ~scope ~cancel ~info code], in a kernel task of the scope's
    run, runs [code] as a new fiber until it ends or first suspends. [code] must
    not raise. *)

(** {1 Frames} *)

type candidate = { frame : Fiber.frame; env : Fiber.env }

val oldest_latent : Fiber.t -> Fiber.frame -> candidate list
(** The oldest latent frames of the chain that starts at this frame, oldest
    first, with the surroundings in which each branch is to run: one, and one
    more for every 64 in the chain, which pays for the walk. *)

val mark : ?still:Fiber.local * Fiber.t * Fiber.frame -> Fiber.frame -> bool
(** Makes a latent frame a promoted one, not yet published; [false] if it is not
    latent. By a thread of the domain that runs the frame's fiber; atomic for
    these. With [~still:(local, fiber, top)] also [false] unless [local] runs
    [fiber] and its newest frame is [top], in the same atomic step: then the
    chain that was searched is still the fiber's. *)

val offer_frame : Fiber.worker -> candidate -> unit
(** Publishes a frame that this thread has marked, for the account of the worker
    that ran its fiber, where every worker finds it at once. *)

val promote_oldest : Fiber.t -> unit
(** A share of the latent frames, oldest first, unless something published is
    still waiting to be taken. By the fiber. *)

val promote_all : Fiber.t -> unit
(** Marks and publishes every latent frame, oldest first. By the fiber. *)
