(** The records of a run: fibers, their frames, workers; and which fiber the
    calling thread is running. Internal; no operation here schedules anything.

    {b Ownership.} A fiber's mutable fields are written by the thread that runs
    the fiber. Its latent frames may also be marked by a companion thread of the
    {e same domain} ({!Companion}), which cannot run at the same time:
    systhreads of a domain alternate at poll points, so code between two poll
    points is atomic for them. That, and not an atomic, is why a fork costs a
    few nanoseconds.

    A fiber that suspends first publishes all its frames, so no latent frame is
    ever seen by two domains. *)

type 'a value = 'a Dromos_sync.Waiter.outcome Dromos_sync.Once.t
(** What the second branch of a fork may ask the first one for. *)

type cancel = exn Dromos_sync.Once.t
(** A node of the cancellation tree: closed when cancelled. See {!Cancel}. *)

type guest_state = ..
(** A library's own record of a fiber. *)

type t = {
  mutable frames : frames;
  heap : Task_heap.t;
  signal : int Atomic.t;
      (** The run's; forks call {!Fork.poll} while it is positive: workers that
          are idle or missing, cancellations not yet over, the debug mode. *)
  mutable worker : worker;  (** who runs it; re-pointed when it is resumed *)
  mutable task : Dromos_kernel.Pool.context Dromos_hub.Hub.task;
      (** the last as which the kernel had it: its successor takes over what a
          policy has noted there *)
  mutable cancel : cancel;  (** innermost node *)
  mutable scope : scope;  (** innermost scope, which [async] uses *)
  mutable shield : int;  (** cancellation is put off while positive *)
  mutable depth : int;  (** tasks it runs for itself inside each other *)
  mutable self_id : int;
      (** 0 until {!val-id} is asked; as [info] for a task in place *)
  mutable waits : string;  (** what for, for people: see {!Waiting} *)
  mutable since : int;  (** the tick before that; -1 until it first waits *)
  mutable info : info;
      (** that of the task which it runs in place, while it does: {!Scope} *)
  mutable fls : Hmap.t;  (** fiber-local storage *)
  mutable pin : int;
      (** the only worker that may run it at the root; -1: any *)
  mutable hand : ready;
      (** what schedulers were last given of it; spent when it has been resumed
      *)
  mutable stack : entry list;
      (** the stack when it last left its worker, for people *)
  mutable given : directive;
      (** the last one to run it, in case it is never carried out *)
  ends : unit -> unit;
      (** of a scheduler's fiber, told when it and its actions are over *)
  mutable masked : int;  (** not to be preempted while positive *)
  mutable interruptible : int;
      (** while positive, cancellation is raised where the fiber is preempted *)
  mutable yields : int;
      (** since yielding last published one of its frames: see {!Turns} *)
  mutable yielded_at : int;  (** [slices] of its worker at its last yield *)
  mutable base : int;
      (** {!Carried.stack} of its own stack: any other stands on top of it,
          under a handler of the program's *)
  mutable asks : (unit -> unit) -> unit;
      (** of a branch: has its forking fiber do something; else {!no_fork} *)
  mutable came_at : int * int;
      (** where it came into a shared queue last, for who looks for it there. By
          who has it in hand, in [Dromos_sched.Place] *)
  mutable guests : guest list;
      (** what libraries with effects of their own know of it; empty until one
          is used. By the fiber: see {!Guest} *)
  mutable witness : witness;
      (** what only this fiber leads to while the collector is asked. By
          [Unreachable], while the fiber waits *)
}
(** A fiber, or its context: the same record under two names. *)

and witness = int ref
and guest = { library : library; knows : guest_state }

and library = {
  library_name : string;
  forbids : guest_state -> bool;
      (** whether the fiber puts off cancellation, ours too; also by others than
          the fiber *)
  stopped : t -> guest_state -> (exn * Printexc.raw_backtrace) option;
      (** whether the library has cancelled the fiber, and it does not put that
          off *)
  cancels : guest_state -> exn -> bool;
      (** whether that is what the library's code raises when it finds that the
          fiber is cancelled *)
  around : 'a. guest_state -> 'a block -> 'a block;
      (** the same wait, which also ends, with an error, when the library
          cancels the fiber *)
}
(** What it has to say of a fiber's waits. Nothing here may wait or raise. *)

and 'a block = 'a Dromos_suspend.resumer -> 'a option

and info = {
  kind : string;  (** what it is, where it has no name *)
  name : string;  (** [""] if it has none *)
  made_at : Printexc.raw_backtrace option;  (** in the debug mode *)
  mutable waits_at : Printexc.raw_backtrace option;  (** in the debug mode *)
  hands : hands;
}
(** What people are told about a fiber: see {!Waiting}. *)

and hands = {
  mutable whose : int;  (** the fiber's number, once it has waited *)
  whose_name : string;
  mutable held_for : string;
      (** what the fiber waits for while a scheduler has it; [""]: none has *)
}
(** Whether a scheduler has the fiber, apart from the fiber, which may be
    collected: see {!Dropped}. *)

(** A fork's second branch, while the first one runs. *)
and frames = { mutable top : frame  (** the newest latent or promoted frame *) }
(** Apart from the rest of the fiber, which others know: where tasks have heaps
    it belongs to the fiber's alone, as the frames do. Only threads of the
    domain that runs the fiber look at it then. *)

and frame = Frame : ('code, 'a, 'b) fork -> frame [@@unboxed]

and ('code, 'a, 'b) fork = {
  code : 'code;
  mutable cell : ('code, 'a, 'b) cell;
  prev : frame;
}
(** ['a] is what the first branch returns, where the second one asks for it. *)

and ('code, 'a, 'b) cell =
  | Latent : (t -> 'b, 'a, 'b) cell
  | Owned of ('code, 'a, 'b) owner
      (** latent, and to be published elsewhere than in the run's hub; whatever
          that takes is made then *)
  | Promoted of ('a, 'b) join
  | Border of env
      (** not a fork: what the fiber's scope, node and shield were for the
          frames below, before the fiber changed them *)

and env = {
  in_scope : scope;
  under : cancel;
  shielded : bool;
  inherits : Hmap.t;
}

and ('a, 'b) join = {
  state : 'b Join.t;
  branch : cancel;
  late : t -> 'b;  (** the branch's code, for whoever takes it *)
  owned : 'a owned option;
  mutable record : (t -> unit, 'b Join.outcome) Task_heap.record;
      (** where tasks have heaps, once it is published *)
}
(** A branch that was published. *)

and ('code, 'a, 'b) owner = {
  offer : worker -> branch -> unit;
      (** Publishes a branch of the fiber that the worker runs. On any thread;
          must not wait or raise. *)
  begin_late : t -> 'a value -> 'code -> 'b;
      (** the code of a branch that was taken *)
}
(** A scheduler with forks of its own. *)

and 'a owned = {
  publish : worker -> branch -> unit;  (** the owner's [offer] *)
  value : 'a value;  (** to be told what the first branch returns *)
  remains : left;
}

and branch = {
  claim : unit -> bool;  (** starts it: [true] once *)
  run_in : env;  (** the surroundings in which its fiber is to run *)
  own_node : cancel;  (** to begin with *)
  left : left;
  go_branch : t -> unit;  (** its code, by its fiber *)
}

and left = {
  first : cancel;
  outer : cancel;
  hung : exn Dromos_sync.Once.listener;  (** [first]'s place in [outer] *)
}
(** Of an owned frame that was published: [first] is a node that cancels what is
    left of the first branch, and nothing else. It was put between that branch
    and [outer], in the fiber or in the oldest border above the frame, and the
    end of the branch takes it out. *)

and worker = {
  id : int;
  run : run;
  mutable kernel : Dromos_kernel.Pool.context option;
      (** set by the first task that runs in this role *)
  mutable local : local;  (** of the thread that serves in this role *)
  mutable leave : bool;
      (** asks a borrowed worker to go; written by anyone, read at task
          boundaries *)
  mutable shed : bool;  (** it leaves although there may be work *)
  mutable resting : bool;
      (** found nothing to do since its last task; by the worker *)
  mutable written : bool;
      (** what its tasks have printed through [Format] is written; tasks set it
          back, by the worker *)
  mutable promotions : int;
  mutable suspensions : int;
  turns : turns;
  unbegun : own;  (** tasks that it has pushed *)
  waiters : (t, hands) Registry.t;  (** fibers that first suspended here *)
  mutable ended : int;  (** fibers that suspended somewhere and ended here *)
  mutable actions : entry list;  (** the stack, the current one first *)
  mutable next : directive;
      (** what the fiber that left last wants done; [stop] between two *)
  mutable next_by : t;  (** that fiber *)
  queue : ready Ready_queue.t;  (** the vproc's own, see {!Task.enq_on} *)
  serves_queue : int Atomic.t;
      (** which fiber's actions take from it; 0: the kernel's loop does *)
  inbox : int Atomic.t;  (** tasks for it alone that have not begun *)
  groups : int Atomic.t;  (** that it was provided to *)
  mutable slices : int;  (** pieces of fibers that it has run *)
  mutable due : int;
      (** that the running piece is to give way, see {!Quantum}; 0: it need not
      *)
  mutable crowd : crowd;
}

and made = (about, Dromos_kernel.Pool.context Dromos_hub.Hub.task) Made.t
(** A task of a scope that may not have begun. *)

and about = {
  in_which : scope;
  its_storage : Hmap.t;
  its_info : info;
  its_failed : failed;
  at : int;  (** about where its worker has the task: see {!Made.is_far} *)
}

and failed = {
  failed :
    'a.
    scope ->
    info ->
    'a Dromos_sync.Promise.t ->
    exn * Printexc.raw_backtrace ->
    unit;
}
[@@unboxed]
(** Resolves a task's promise with the failure, as the task's scope would have
    it. *)

and own = (about, Dromos_kernel.Pool.context Dromos_hub.Hub.task) Made.own

(** What an action is told about the fiber that ran under it. *)
and signal =
  | Stop  (** it has ended, or waits and will come back by {!ready_again} *)
  | Preempt of ready  (** it yields, or its time was up *)

and directive =
  | Forward of signal
  | Run of { action : action; fiber : t; mutable go : unit -> unit }
      (** [go] is {!spent} once it has been carried out *)

and action = {
  action_name : string;
  turn : string;  (** what fibers in its hands wait for, for people *)
  act : signal -> directive;  (** does not raise *)
  ready_again : (ready -> unit) option;
      (** takes back a fiber that waited while this action was the topmost that
          has one; from any thread, does not raise *)
}

and entry = { action : action; owner : t  (** the fiber whose code it is *) }

and ready = { of_fiber : t; home : int; go : (unit -> unit) Atomic.t }
(** A fiber that could run, in the hands of a scheduler. [home] is the only
    worker that can resume it, because a thread of that worker's domain holds
    its stack; -1: any can. [go] is exchanged for {!spent} by who resumes it. *)

and seat = {
  place : local;
  mutex : Mutex.t;
  bell : Condition.t;
  sitter : Thread.t;
  mutable called : bool;
}
(** Where a thread waits to act for a worker: see {!module-Preempt}. *)

and crowd = {
  mutable spares : seat list;  (** threads that wait to act for the worker *)
  mutable parked : seat list;
      (** those with a preempted fiber on their stack *)
  mutable threads : Thread.t list;  (** that were made for it *)
  mutable deferred : ready list;
      (** preempted fibers that were resumed while another crowd acts *)
  mutable preemptions : int;
  mutable put_off : int;
      (** attempts since the last preemption that found the fiber in code of the
          standard library that is not to be interrupted *)
  refused : int Atomic.t;
      (** quanta that were over without a preemption: too many fibers are
          parked, or the system has no thread left *)
  serve : unit -> unit;  (** what a thread that was made for it does *)
}
(** The threads of one worker's domain that act for it in turn. *)

(** What {!module-Turns} may rely on: the hub keeps new tasks in deques of its
    workers, newest first. *)
and deques =
  | No_deques  (** it does not, or has a policy of its own *)
  | Public  (** thieves take from them *)
  | Private  (** a task moves with the help of its worker only *)

and turns = {
  mutable woken : int;
      (** fibers that went on in the worker's deque since one went on elsewhere
      *)
  mutable made : int;
      (** new tasks that went into its deque since one went elsewhere *)
  mutable gave_way : int;
      (** new tasks that went elsewhere since the worker last rested *)
  mutable look_at : int;  (** the number of slices at which it looks around *)
  mutable looked : int;  (** the clock then; nanoseconds *)
}
(** What a worker counts so that each ready task has its turn: see
    {!module-Turns}. By the worker. *)

and run = {
  pool : Dromos_kernel.Pool.t;
  run_signal : int Atomic.t;
  workers : worker array;
  hub_name : string;
  mask : Dromos_service.Signals.set;  (** the caller's, for threads of ours *)
  backtraces : bool;
      (** whether the caller records them: a setting of each domain, which those
          that serve the run take over *)
  over : bool Atomic.t;  (** the first fiber and all tasks have ended *)
  vacant : int Atomic.t;
      (** roles nobody serves and that could be filled; part of the signal *)
  unserved : int Atomic.t;
      (** roles nobody serves, also those that could not be filled *)
  ask_workers : unit -> unit;  (** have one filled, if it can be *)
  look_around : worker -> unit;
      (** has workers that compute publish what only they can run: see {!Crew}
      *)
  standing : bool;
      (** its caller is a domain that was made for it, and waits for work *)
  attend : int -> (unit -> unit) -> unit;
      (** [attend id serve] calls [serve], once, on a thread that is about to
          serve as worker [id]; does not raise *)
  began : Minor_stops.mark;  (** when the run was made *)
  deques : deques;
  interruption : (exn * Printexc.raw_backtrace) Dromos_sync.Once.t;
      (** the first exception that came from outside of all fibers, of a signal
          handler as a rule: the run raises it. By {!Interruption} *)
  notes : orphan list Atomic.t;
      (** failures that {!Unhandled} is to look at later, newest first *)
  mutable root : scope;
      (** the outermost; nothing else of ours keeps it, so that {!Deadlock} can
          ask the collector who does *)
  watched : watched;
  mutable keeps_domains : bool;
      (** domains do not end before the run does: set when a library is used
          that may have something in them ({!Guest}); never set back *)
}
(** One call of [Dromos.run]. *)

and watched = {
  mutable seen : int;  (** tasks that the run had executed *)
  mutable seen_everywhere : int;  (** tasks that all runs had executed *)
  mutable quiet : int;  (** looks since the run moved *)
  mutable calm : int;
      (** looks since anything moved, or was pending, in the process *)
  mutable asked : asked;  (** the collector, since the run moved *)
  mutable patience : int;  (** looks before the collector is asked again *)
  mutable reported : (int * int) list;
      (** waits that have been: the fiber, and since when *)
  mutable stage : stage;
}
(** What {!Deadlock} knows of a run. By the thread that looks. *)

and asked =
  | Not_yet
  | In_vain of { calm : bool; at : int; elsewhere : int }
      (** somebody may wake them: asked while it was so [calm], after so many
          quiet looks, when all runs had executed so many tasks *)

and stage =
  | Watching
  | Settled  (** not to be looked at *)
  | Failed of exn  (** cancelled with this *)
  | Abandoned of exn
      (** what was cancelled did not end: the run ends without it *)

and scope = {
  scope_run : run;
  node : cancel;
  signalled : bool Atomic.t;
      (** it was cancelled, and the run's signal is up for it, or it is over *)
  pending : Pending.t;  (** its body and its tasks that are not over *)
  failures : (exn * Printexc.raw_backtrace) list Atomic.t;
      (** of its parts: newest first, without cancellations *)
  orphans : orphans Atomic.t;
  mutable cut_short : bool;
      (** a part of it has left with [Cancelled], or never began: written before
          that part is over, by several at once *)
  unhandled : unhandled;  (** the one of the scope around it, as a rule *)
}
(** Structured tasks: see {!Scope}. *)

and unhandled = {
  tell : what:string -> exn -> Printexc.raw_backtrace -> unit;
      (** does not raise; [what] failed, for the message *)
  reads : bool;  (** a function of the program's: what it is told is handled *)
}
(** What becomes of failures that nobody awaits: see {!Unhandled}. *)

and orphan = {
  awaited : unit -> bool;
  error : exn * Printexc.raw_backtrace;
  failed_at : int;  (** {!Ticks.clock} *)
  told : bool Atomic.t;  (** to [of_scope]: raised by whoever tells it *)
  what : string;  (** failed, for the message *)
  of_scope : unhandled;
  its_fls : Hmap.t;  (** the task's storage *)
}

and orphans = { kept : orphan list; length : int; limit : int }
(** A failed [async] task: its scope raises the exception if nobody has awaited
    the promise by the time the scope ends. *)

and local = {
  mutable thread : int;  (** its [Thread.id]; -1: free *)
  mutable current : t;  (** {!nobody} between fibers *)
  mutable serving : worker option;
  mutable companion : companion option;
  mutable others : local list;
      (** in a domain's first record: those of its other threads *)
  mutable hub_open : bool;
      (** whether this thread may use its run's hub as a worker: in a fiber, and
          in none of the hub's own operations. A signal handler or a finaliser
          that runs in the middle of one must not. By {!Hub_door} *)
  mutable visited : bool;
      (** the companion is in one of these operations. By {!Hub_door} *)
  mutable ask : unit -> unit;
      (** has the thread's companion publish its oldest latent frame; callable
          from any domain. See {!Companion} *)
  mutable watch : unit -> unit;
      (** has the companion look after a run that sleeps: see {!Deadlock}. By
          the thread *)
  mutable reads_frames : bool;
      (** the companion has frames of the thread's fiber on its stack *)
  domain : Nudge.domain;
  mutable seat : seat option;
  mutable outside : outside option;
      (** what has fiber-local storage for code of the thread outside fibers *)
}
(** What a thread that serves as a worker is doing. *)

and outside = {
  read : unit -> Hmap.t;
  write : (Hmap.t -> unit) option;  (** [None]: only {!within} changes it *)
  within : 'a. Hmap.t -> (unit -> 'a) -> 'a;
}
(** See {!Storage}. *)

and companion = {
  stop : unit -> unit;
  lives : unit -> bool;  (** [false] in a process forked after it was made *)
}

val no_orphans : orphans

val debug : bool
(** [DROMOS_DEBUG] *)

val stop : directive
(** [Forward Stop], by address. *)

val spent : unit -> unit
val crowd : serve:(unit -> unit) -> crowd
val turns : unit -> turns

val recovered : unit -> unit
(** What [go] is of a handle that was replaced by another: see {!Task.recover}.
*)

val no_fork : (unit -> unit) -> unit
(** By address. *)

val awake : string
(** What [waits] is, by address, while a fiber does not wait. *)

val no_hands : hands
(** Of fibers that nobody watches, by address: not to be written. *)

val no_hand : ready
(** Spent: of a fiber that no scheduler was given yet. *)

val nothing_made : made
(** The end of every worker's list; not to be begun. *)

val nil : frame
(** The end of every chain. *)

val enter_heap : t -> unit
(** Where tasks have heaps: this domain allocates in the fiber's from now on, or
    in its own if the fiber has none; by a thread of the domain that runs the
    fiber. Its frames are its own from its first heap on. *)

val no_frames : frames
(** Of fibers that have ended; not to be written. *)

val watched : stage -> watched
(** Of a run that was not looked at yet. *)

val nowhere : int * int
(** [came_at] of a fiber that was in no shared queue yet. *)

val no_witness : witness
(** [witness] of a fiber about which the collector has not been asked. *)

val nobody : t
(** The fiber of threads that run none. *)

val is_nil : frame -> bool

val current : unit -> t
(** The fiber that the calling thread runs, or {!nobody}. *)

val id : t -> int
(** Its {!Dromos_suspend.Self}, given when first asked for, by the fiber. *)

val is_host : t -> bool
(** Whether the caller, which this fiber runs, is a task of another scheduler
    that runs inside the fiber, such as {!Dromos_fifo}. Such tasks share the
    fiber's record and end in any order, so they must not change its
    surroundings. *)

val local : unit -> local
(** The calling thread's record, made on first use. *)

val find_local : unit -> local option
(** The calling thread's record if it has one. *)

val workers : t -> int
val kernel : worker -> Dromos_kernel.Pool.context

val release : local -> unit
(** The calling thread serves no more: its companion is stopped, unless it is
    the main domain's first, which is kept for later runs, and its record
    forgotten. A domain ends only when its last systhread has. *)
