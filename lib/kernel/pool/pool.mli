(** The pool: workers that take tasks from a hub and run them.

    This is the raw, proved layer: its tasks must not raise and must not perform
    effects; it reports misuse by variants. Programs use {!Dromos.run}, or the
    safe wrapper [Dromos.Pool].

    Worker [0 .. size - 1] are {e roles}. A role is filled by a domain that
    {!start} spawned, by a caller of {!run} (role 0), or by whatever thread
    calls {!serve}. One thread at a time acts for a role: a second may enter
    only while the first is blocked inside a task, as a stand-in that leaves
    before the first goes on.

    {b What a worker does.} It takes what its hub gives it; finding nothing it
    {e hunts}: it steals in a loop for some microseconds (at most about 30,
    fewer the less that has paid of late), then sleeps ({!Dromos_base.Waiters})
    until somebody publishes, wakes it or closes. A pool at rest uses no CPU.

    {b Wake-ups.} Whoever publishes does so first and notifies one sleeper then;
    a task for one worker notifies that one. A worker that was notified takes
    what others could take before what only it can, and passes the notification
    on if it leaves instead: so no task waits while a worker that may run it
    sleeps.

    {b Costs.} [async] and the run of the task together are 20 to 30 ns on one
    worker (release profile), most of it allocation and the hub's deque. Only
    {!run}, {!serve}, {!close} and {!wait_ivar} wait.

    {b Checked} in test/kernel: parking, submission and closing by a model
    checker over each hub (every interleaving for one worker and one outsider,
    sampled beyond), and all of it under stress.

    Source: Parabs, section 9. Beyond it: any number of outside callers,
    targeted submission, roles served by foreign threads, workers that stay
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
(** What a task is given: the worker that runs it. Valid until the task returns,
    on that worker only. *)

type 'a task = context -> 'a

(** {1 Making} *)

val create :
  hub:(workers:int -> context Dromos_hub.Hub.t) ->
  idle:int Atomic.t ->
  on_idle:(int -> unit) ->
  workers:int ->
  t
(** A pool with [workers >= 1] roles, none of them filled. [idle] is incremented
    while a worker hunts for work or sleeps, and decremented when it has found
    some: forks read it to know whether publishing pays. [on_idle i] is called
    by worker [i] when hunting found nothing, before it sleeps. *)

val start : t -> unit
(** Spawns [workers - 1] domains that fill roles 1 and up until the pool is
    closed. At most once. *)

val run : t -> 'a task -> 'a option
(** Runs a task and returns its result; [None] if the pool is closed. From any
    domain or systhread outside the pool: the first caller fills role 0 while it
    waits, others block until theirs is done, or take over role 0 if the pool is
    still open (of a closed one it is the closer's). Tasks that it published and
    did not wait for stay with the pool. Not from a task of the same pool, which
    would wait for itself. *)

val close : t -> bool
(** Refuses further outside work, runs every task already submitted and what
    those publish (the caller helps), stops and joins the domains, and serves
    the inboxes of roles that nobody filled. [false], and nothing is done, if
    the pool was closed before, which does not say that its tasks have run. Not
    from a task of the pool. A submission that races with it is either refused
    or run. A role that a thread of yours serves is waited for; do not serve it
    again then. *)

(** {1 Serving} *)

val serve : t -> worker:int -> until:(unit -> bool) -> unit
(** Fills a role: runs tasks until [until ()] (tested between tasks and when
    woken) or until the pool is closed and nothing is left for this worker.
    Sleeps when there is nothing to do; {!wake} has it test [until] again. *)

val recover : t -> int -> unit
(** For shims: an asynchronous exception has torn the thread that served as this
    worker out of {!serve}. Puts the role's accounts right and leaves it; it can
    be served again. A task that had been taken from the hub and not started is
    lost, if the exception struck just there. *)

val wake : t -> int -> unit
(** Wakes the worker if it sleeps. From anywhere. *)

(** {1 In a task} *)

val size : context -> int
val worker : context -> int
val pool : context -> t

val async : context -> unit task -> unit
(** Publishes a task; it will be run exactly once, even if the pool is closed
    meanwhile. *)

val push :
  context -> Dromos_hub.Hub.reason -> context Dromos_hub.Hub.task -> unit
(** The general form of {!async}. With [Yield] or [Preempt] it is the running
    task that goes back to the hub: its code returns right after. *)

val block : context -> context Dromos_hub.Hub.task -> unit
(** The running task suspends: its code is about to return, but it is not over
    and comes back by {!push}, {!submit} or {!submit_to}. Call it before anybody
    can bring it back. *)

val retract : context -> context Dromos_hub.Hub.task -> bool
(** Takes back the task this worker pushed last, if it is still there: the
    caller then runs it itself. *)

val has_work : context -> bool
(** See {!Dromos_hub.Hub.t}. *)

val tick : context -> unit
(** A safe point: lets the hub answer thieves. *)

val wait_ivar : context -> (context, 'a) Dromos_base.Ivar.t -> unit
(** Runs other tasks until the ivar is set. Help-first: for raw kernel tasks
    only, never from a fiber. *)

(** {1 From anywhere} *)

val submit : t -> Dromos_hub.Hub.reason -> context Dromos_hub.Hub.task -> bool
(** Publishes a task from any thread; [false] if the pool is closed. *)

val submit_to :
  t -> int -> Dromos_hub.Hub.reason -> context Dromos_hub.Hub.task -> bool
(** The same, for one worker only. *)

val hub : t -> context Dromos_hub.Hub.t

(** {1 Counts} *)

type counts = {
  tasks : int;
  steals : int;  (** tasks that a worker found when it had none of its own *)
  sleeps : int;
}

val counts : t -> counts
(** Sums over the workers; exact when the pool is quiet, else a snapshot. *)
