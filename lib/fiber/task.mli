(** Fibers as kernel tasks: starting, suspending, resuming, yielding; and
    publishing a latent frame, since a fiber that suspends publishes its own
    frames. Internal.

    Every fiber runs under a handler of its own, on a worker's thread, inside
    one kernel task. A suspended fiber is a continuation that a resumer holds,
    and comes back as another kernel task. *)

type _ Effect.t +=
  | Yield : unit Effect.t
  | Capture : (Fiber.ready -> Fiber.directive) -> unit Effect.t
        (** Passes the calling fiber's handle to the function; the worker then
            carries out the directive that the function returns. The function
            runs on the worker's own stack, as a new fiber, which owns an action
            that the function puts on the stack. The function must not wait or
            yield. *)

val yield : unit -> unit
(** Called by a fiber. Does nothing under a C frame, where the worker cannot
    leave the fiber. *)

val step_back : Fiber.t -> unit
(** Lets other fibers go first, as a rule some tens of the worker's tasks: the
    fiber goes to the injector, behind tasks for all workers, like a fiber that
    was just woken. May raise [Cancelled]. Called by the fiber. *)

val publish :
  Fiber.run ->
  Dromos_hub.Hub.reason ->
  Dromos_kernel.Pool.context Dromos_hub.Hub.task ->
  unit
(** Hands a kernel task to the run's hub. If the caller serves the run, the
    calling worker pushes the task; otherwise the task is submitted from
    outside. Any thread may call [publish]. *)

val submit :
  Fiber.run ->
  Dromos_hub.Hub.reason ->
  Dromos_kernel.Pool.context Dromos_hub.Hub.task ->
  unit
(** Like {!publish}, but always submits the task to the injector, which all
    workers share. *)

val ask_for_workers : Fiber.run -> unit
(** Has a vacant role filled, after something was published. *)

val first :
  (Dromos_kernel.Pool.context Dromos_hub.Hub.task ->
  Dromos_kernel.Pool.context ->
  unit) ->
  Dromos_kernel.Pool.context Dromos_hub.Hub.task
(** A fresh task, whose code gets the task itself as an argument, for {!start}.
*)

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
    the scope's run, runs [code] as a new fiber until the fiber ends or first
    suspends. [code] must not raise. [task] is the kernel task that runs, or a
    fresh task: the fiber's later tasks inherit [task]'s attributes and last
    worker. [heap] is the fiber's own heap. *)

val leave_heap : Fiber.t -> ('code, 'result) Task_heap.record -> 'result -> unit
(** Called at the end of a fiber with a heap of its own: the fiber's result is
    stored in the record, and the fiber leaves the heap. *)

(** {1 Scheduler actions}

    A worker has a stack of actions ({!Fiber.type-entry}). The stack is empty
    while the kernel's loop, the root action, is in charge. When the running
    fiber ends or waits, the worker takes the topmost action off and passes the
    signal [Stop]; when the fiber yields, [Preempt]. The worker carries out the
    directive that the action returns, on the kernel task's own stack, and
    repeats until the stack of actions is empty. A kernel task thus begins and
    ends with an empty stack of actions. Fibers that run under no action pay two
    tests each time they leave their worker.

    An action runs as code of the fiber that put the action on the stack, and
    each call has a handler of its own. An action may wait or yield like any
    fiber; the action below then gets the signal. *)

val prepare :
  scope:Fiber.scope ->
  ?cancel:Fiber.cancel ->
  fls:Hmap.t ->
  pin:int ->
  info:Fiber.info ->
  ends:(unit -> unit) ->
  (Fiber.t -> Fiber.directive) ->
  Fiber.ready
(** A new fiber, not started. The fiber's worker carries out the directive that
    the code returns, and the directives of an action that the code puts on the
    stack. After the first directive other than [Run] the fiber is over, and the
    worker calls [ends ()]. The code must not raise. Called by a fiber of the
    run. *)

type claim =
  | Go of (unit -> unit)
      (** resumes the fiber, on the worker that carries out the directive *)
  | Recovered  (** the fiber has a newer handle: nothing to do *)
  | Spent  (** another caller has claimed the handle before *)

val claim : Fiber.ready -> claim
(** Claims a handle; one caller gets [Go]. *)

val recover : Fiber.ready -> Fiber.ready option
(** A new handle in place of a handle that a scheduler may have or may have
    lost; [None] if the fiber has been resumed. *)

val give_up : Fiber.directive -> bool
(** Sends the fiber of a directive that no worker will carry out to the root.
    [false] if the directive was carried out, or runs no fiber. *)

val taker : Fiber.entry list -> (string * (Fiber.ready -> unit)) option
(** The function that takes back a fiber which waited under these actions, and
    the action's name for the wait; [None]: the fiber comes back at the root. *)

val release : Fiber.ready -> unit
(** Hands the fiber to the run's hub, or to the worker that it is pinned to: the
    fiber goes on at the root. Any thread may call [release]. *)

(** {1 Frames} *)

val offers : still:Fiber.local * Fiber.frame -> Fiber.t -> (unit -> unit) list
(** Marks a share of the latent frames, oldest first, and counts them as
    promotions of the fiber's worker. Each function in the result publishes a
    branch where every worker finds the branch at once, and may wait. Called by
    another thread of the fiber's domain: see {!Latent.mark}. *)

val promote_oldest : Fiber.t -> unit
(** Publishes a share of the latent frames, oldest first, unless an earlier
    publication still waits for a taker. Called by the fiber. *)

val promote_share : Fiber.t -> unit
(** Publishes a share of the latent frames, whatever was published before. *)

val promote_near : Fiber.t -> unit
(** Publishes every latent frame if the fiber has at most 100, else does
    {!promote_share}. Called by the fiber. *)

val promote_all : Fiber.t -> unit
(** Marks and publishes every latent frame, oldest first. Called by the fiber.
*)

val leave_word : Fiber.worker -> Fiber.t -> Fiber.directive -> unit
(** Stores the directive of the fiber that leaves its worker. *)

val settle : Fiber.worker -> unit
(** Carries out the stored directives, until the kernel's loop is in charge.
    Called by the thread that acts for the worker. *)

(** {1 The vproc's own queue} *)

val enq_on : Fiber.worker -> Fiber.ready -> unit
(** Puts a fiber into that vproc's queue, and pins the fiber to the vproc. Any
    thread may call [enq_on]. *)

val deq : Fiber.worker -> Fiber.t -> Fiber.ready
(** Takes the oldest fiber of the vproc's queue; waits while the queue is empty.
    Called by a scheduler's fiber on that vproc; from then on the scheduler
    serves the queue in place of the kernel's loop. *)

val stop_serving : Fiber.worker -> Fiber.t -> unit
(** The scheduler stops serving the vproc's queue. Called on the vproc. *)
