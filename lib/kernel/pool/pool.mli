(** The pool: workers that take tasks from a hub and run them.

    This layer is raw and proved: its tasks must not raise and must not perform
    effects, and the layer reports misuse by variants. Programs use
    {!Dromos.run}, or the safe wrapper [Dromos.Pool].

    Workers [0 .. size - 1] are {e roles}. A domain that {!start} spawned, a
    caller of {!run} (role 0), or any thread that calls {!serve} may fill a
    role. One thread at a time acts for a role. A second thread may enter only
    while the first is blocked inside a task: the second thread then stands in,
    and leaves before the first goes on.

    {b What a worker does.} A worker runs the tasks that its hub gives it.
    Without a task, the worker {e hunts}: it steals in a loop (for at most about
    0.2 ms, and for less time if recent hunts found little), then sleeps
    ({!Dromos_base.Waiters}) until a thread publishes, wakes the worker or
    closes the pool. A pool at rest uses no CPU.

    {b Wake-ups.} A publisher first publishes the task, then notifies one
    sleeper; for a task of one worker, it notifies that worker. A worker that
    was notified takes tasks that any worker may take before tasks that only it
    may take. If the worker leaves instead, it notifies another sleeper.
    Therefore no task waits while a worker that may run the task sleeps.

    {b Costs.} [async] and the run of the task together are 20 to 30 ns on one
    worker (release profile); most of the time goes to allocation and the hub's
    deque. Only {!run}, {!serve}, {!close} and {!wait_ivar} wait.

    {b Checked} in test/kernel: parking, submission and closing by a model
    checker over each hub (every interleaving for one worker and one outsider,
    samples beyond), and all operations under stress.

    Source: Parabs, section 9. Added here: any number of outside callers,
    targeted submission, roles served by foreign threads, and workers that stay
    until a closed pool has done its work.

    {b Checked.}
    - proved (proofs/pool/pool.v): [size], [async], [wait_ivar], [run],
      [has_work], [tick];
    - proved (proofs/pool/pool_create.v): [create];
    - proved (proofs/pool/pool_close.v): [start], [close];
    - proved (proofs/pool/pool_roles.v): [serve];
    - proved (proofs/pool/pool_recover.v): [recover];
    - proved (proofs/pool/pool_basics.v): [submit], [submit_to];
    - proved (proofs/pool/pool_tasks.v): [push], [block], [retract];
    - model-checked (test/kernel): [async], [push], [run], [close], [submit],
      [submit_to], [serve];
    - tested (test/kernel): all. *)

type t

type context
(** The argument of a task: the worker that runs the task. Valid until the task
    returns, on this worker only. *)

type 'a task = context -> 'a

(** {1 Making} *)

val create :
  hub:(workers:int -> context Dromos_hub.Hub.t) ->
  idle:int Atomic.t ->
  on_idle:(int -> unit) ->
  workers:int ->
  t
(** A pool with [workers >= 1] roles, all unfilled. A worker increments [idle]
    when it starts to hunt, and decrements [idle] when the hunt ends; the worker
    may sleep in between. Forks read [idle] to know whether publishing pays.
    Worker [i] calls [on_idle i] when a hunt has found no task, before the
    worker sleeps. *)

val start : t -> unit
(** Spawns [workers - 1] domains that fill roles 1 and up until the pool is
    closed. Call [start] at most once. *)

val run : t -> 'a task -> 'a option
(** Runs a task and returns its result, or [None] if the pool is closed. Any
    domain or systhread outside the pool may call [run]. The first caller fills
    role 0 while it waits. Other callers block until their task is done, or take
    over role 0 if the pool is still open (in a closed pool, the closer has role
    0). Tasks that the task published without waiting for them stay with the
    pool. Do not call [run] from a task of the same pool: the task would wait
    for itself. *)

val close : t -> bool
(** Refuses further outside work, runs every submitted task and the tasks that
    they publish (the caller helps), stops and joins the domains, and serves the
    inboxes of roles that no thread filled. If the pool was closed before,
    [close] does nothing and returns [false], which does not mean that the tasks
    have run. Do not call [close] from a task of the pool. A submission during
    [close] is either refused or run. [close] waits for roles that your own
    threads serve; do not serve such a role again afterwards. *)

(** {1 Serving} *)

val serve : t -> worker:int -> until:(unit -> bool) -> unit
(** Fills a role and runs tasks. Returns when [until ()] is true (tested between
    tasks and after a wake-up), or when the pool is closed and no task is left
    for this worker. The worker sleeps when there is no task; {!wake} makes the
    worker test [until] again. *)

val recover : t -> int -> unit
(** A shim that catches an asynchronous exception calls [recover] if the
    exception has interrupted {!serve}. [recover] corrects the counts of the
    role and leaves the role; a thread may serve the role again. If the
    exception came between the removal of a task from the hub and the start of
    the task, the task is lost. *)

val wake : t -> int -> unit
(** Wakes the worker if the worker sleeps. Any thread may call [wake]. *)

(** {1 In a task} *)

val size : context -> int
val worker : context -> int
val pool : context -> t

val async : context -> unit task -> unit
(** Publishes a task. The task runs exactly once, even if the pool closes
    meanwhile. *)

val push :
  context -> Dromos_hub.Hub.reason -> context Dromos_hub.Hub.task -> unit
(** The general form of {!async}. With [Yield] or [Preempt], the running task
    itself goes back to the hub, and its code must return right after the push.
*)

val block : context -> context Dromos_hub.Hub.task -> unit
(** The running task suspends: its code is about to return, but the task is not
    over and comes back by {!push}, {!submit} or {!submit_to}. Call [block]
    before any thread can bring the task back. *)

val retract : context -> context Dromos_hub.Hub.task -> bool
(** Takes back the task that this worker pushed last, if the task is still
    there. The caller then runs the task. *)

val has_work : context -> bool
(** See {!Dromos_hub.Hub.t}. *)

val tick : context -> unit
(** A safe point: lets the hub answer thieves. *)

val wait_ivar : context -> (context, 'a) Dromos_base.Ivar.t -> unit
(** Runs other tasks until the ivar is set. Help-first: for raw kernel tasks
    only, never from a fiber. *)

(** {1 From anywhere} *)

val submit : t -> Dromos_hub.Hub.reason -> context Dromos_hub.Hub.task -> bool
(** Publishes a task from any thread. Returns [false] if the pool is closed. *)

val submit_to :
  t -> int -> Dromos_hub.Hub.reason -> context Dromos_hub.Hub.task -> bool
(** Like {!submit}, for one worker only. *)

val hub : t -> context Dromos_hub.Hub.t

(** {1 Counts} *)

type counts = {
  tasks : int;
  steals : int;  (** tasks that the workers found in hunts *)
  sleeps : int;
}

val counts : t -> counts
(** Sums over the workers. Exact when the pool is quiet, otherwise a snapshot.
*)
