(** The pool: workers that take tasks from a hub and run them.

    This is the raw, proved layer: its tasks must not raise and must not perform
    effects; it reports misuse by variants. Programs use {!Dromos.run}, or the
    safe wrapper [Dromos.Pool].

    Worker [0 .. size - 1] are {e roles}. A role is filled by a domain that
    {!start} spawned, by a caller of {!run} (role 0), or by whatever thread
    calls {!serve}; one thread at a time per role.

    Source: Parabs, section 9. Beyond it: any number of outside callers,
    targeted submission, roles served by foreign threads. *)

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
    waits, others block until theirs is done, or take over role 0. *)

val close : t -> bool
(** Refuses further outside work, runs every task already submitted (the caller
    helps), stops and joins the domains. [false], and nothing is done, if the
    pool was closed before. *)

(** {1 Serving} *)

val serve : t -> worker:int -> until:(unit -> bool) -> unit
(** Fills a role: runs tasks until [until ()] (tested between tasks and when
    woken) or until the pool is closed and nothing is left for this worker.
    Sleeps when there is nothing to do; {!wake} has it test [until] again. *)

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

type counts = { tasks : int; steals : int; sleeps : int }

val counts : t -> counts
(** Sums over the workers; exact when the pool is quiet, else a snapshot. *)
