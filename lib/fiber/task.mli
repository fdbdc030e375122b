(** Fibers as kernel tasks: starting, suspending, resuming, yielding; and
    publishing a latent frame, since a fiber that suspends publishes its own.
    Internal.

    Every fiber runs under its own handler, on a worker's thread, inside one
    kernel task; a suspended fiber is a continuation held by a resumer, and
    comes back as another kernel task. *)

type _ Effect.t +=
  | Yield : unit Effect.t
  | Capture : (Fiber.ready -> Fiber.directive) -> unit Effect.t
        (** The calling fiber in hand, and what its worker is to do next. The
            function runs on the worker's own stack, as a fiber of its own,
            which owns an action that it puts on the stack: it must not wait or
            yield. *)

val yield : unit -> unit
(** By a fiber. Nothing under a C frame: there is nothing to switch to. *)

val step_back : Fiber.t -> unit
(** Others go first, some tens of tasks of the worker as a rule: the fiber waits
    behind what all workers share, as one that was just woken. May raise
    [Cancelled]. By the fiber. *)

val publish :
  Fiber.run ->
  Dromos_hub.Hub.reason ->
  Dromos_kernel.Pool.context Dromos_hub.Hub.task ->
  unit
(** Hands a kernel task to the run's hub: pushed by the calling worker if the
    caller serves that run, submitted from outside else. From anywhere. *)

val submit :
  Fiber.run ->
  Dromos_hub.Hub.reason ->
  Dromos_kernel.Pool.context Dromos_hub.Hub.task ->
  unit
(** The same, to what all workers share. *)

val ask_for_workers : Fiber.run -> unit
(** After something was published: has a role filled that nobody serves. *)

val first :
  (Dromos_kernel.Pool.context Dromos_hub.Hub.task ->
  Dromos_kernel.Pool.context ->
  unit) ->
  Dromos_kernel.Pool.context Dromos_hub.Hub.task
(** A fresh task whose code is given the task itself, for {!start}. *)

val start :
  Dromos_kernel.Pool.context ->
  ?heap:Task_heap.t ->
  task:Dromos_kernel.Pool.context Dromos_hub.Hub.task ->
  scope:Fiber.scope ->
  cancel:Fiber.cancel ->
  fls:Hmap.t ->
  info:Fiber.info ->
  (Fiber.t -> unit) ->
  unit
(** [start context ~task ~scope ~cancel ~fls ~info code], in a kernel task of
    the scope's run, runs [code] as a new fiber until it ends or first suspends.
    [code] must not raise. [task] is the task it runs in, or a fresh one: the
    fiber's later tasks have its attributes and last worker. [heap]: it has one
    of its own. *)

val leave_heap : Fiber.t -> ('code, 'result) Task_heap.record -> 'result -> unit
(** By a fiber that has one, at its end: that was its result. *)

(** {1 Scheduler actions}

    A worker has a stack of actions ({!Fiber.type-entry}), empty while the
    kernel's loop, the root action, is in charge. When the running fiber ends or
    waits, the topmost action is taken off and given [Stop]; when it yields,
    [Preempt]. What the action returns is carried out, on the kernel task's own
    stack, until the stack of actions is empty again: so a kernel task begins
    and ends with an empty one, and fibers that no action runs pay two tests
    each time they leave their worker.

    Actions run as code of the fiber that put them on the stack, each call under
    a handler of its own: an action may wait or yield like any fiber, and is
    then itself what the action below has stopped or preempted. *)

val prepare :
  scope:Fiber.scope ->
  ?cancel:Fiber.cancel ->
  fls:Hmap.t ->
  pin:int ->
  info:Fiber.info ->
  ends:(unit -> unit) ->
  (Fiber.t -> Fiber.directive) ->
  Fiber.ready
(** A new fiber, not started. The directive that its code returns, and those of
    the action that it puts on the stack with it, are carried out by its worker;
    after the first one that is not [Run] the fiber is over, and [ends ()] is
    called. The code must not raise. By a fiber of the run. *)

type claim =
  | Go of (unit -> unit)  (** what resumes it, on the worker that [run]s it *)
  | Recovered  (** it went on by another handle: nothing to do *)
  | Spent  (** somebody has claimed it before *)

val claim : Fiber.ready -> claim
(** For one caller only. *)

val recover : Fiber.ready -> Fiber.ready option
(** A new handle in place of one that may be in somebody's hands, or in
    nobody's; [None] if the fiber has been resumed. *)

val give_up : Fiber.directive -> bool
(** A directive that will not be carried out: its fiber goes to the root.
    [false] if it has been, or runs none. *)

val taker : Fiber.entry list -> (string * (Fiber.ready -> unit)) option
(** Who takes back a fiber that waited under these actions; [None]: the root. *)

val release : Fiber.ready -> unit
(** Hands it to the run's hub, or to its worker if it is pinned: it goes on at
    the root. From anywhere. *)

(** {1 Frames} *)

val offers : still:Fiber.local * Fiber.frame -> Fiber.t -> (unit -> unit) list
(** Marks a share of the latent frames, oldest first, for the account of the
    worker that runs the fiber; each function that it returns puts one where
    every worker finds it at once, and may wait. By another thread of the
    fiber's domain: see {!Latent.mark}. *)

val promote_oldest : Fiber.t -> unit
(** A share of the latent frames, oldest first, unless something published is
    still waiting to be taken. By the fiber. *)

val promote_share : Fiber.t -> unit
(** The same, whatever has been published. *)

val promote_near : Fiber.t -> unit
(** Every latent frame where there are at most 100, else {!promote_share}. By
    the fiber. *)

val promote_all : Fiber.t -> unit
(** Marks and publishes every latent frame, oldest first. By the fiber. *)

val leave_word : Fiber.worker -> Fiber.t -> Fiber.directive -> unit
(** What the fiber that leaves its worker wants done. *)

val settle : Fiber.worker -> unit
(** Does what was left to be done, until the kernel's loop is in charge. By the
    thread that acts for the worker. *)

(** {1 The vproc's own queue} *)

val enq_on : Fiber.worker -> Fiber.ready -> unit
(** Puts a fiber into that vproc's queue, where it will stay. From anywhere. *)

val deq : Fiber.worker -> Fiber.t -> Fiber.ready
(** The oldest of the vproc's queue; waits. By the scheduler's fiber, on that
    vproc, which from then on serves the queue in place of the kernel's loop. *)

val stop_serving : Fiber.worker -> Fiber.t -> unit
(** That scheduler serves it no more. On the vproc. *)
