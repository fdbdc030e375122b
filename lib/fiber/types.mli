(** The records of a run: fibers, their fork frames, workers, threads. Types
    only; internal.

    {b Ownership.} Each mutable field names its owner, the one module that
    writes the field and keeps its invariant ([[@owner Module]]). Other modules
    read the field, and call the owner to change it. test/owners checks the
    owners of all fields in lib.

    {b Threads.} The thread that runs a fiber writes the fiber's fields. A
    publisher thread ({!Companion}) of the {e same domain} may also mark the
    fiber's latent frames. The two threads never run at the same time:
    systhreads of a domain alternate at poll points, so code between two poll
    points is atomic for them. For that reason a fork needs no atomic operation,
    and costs a few nanoseconds. A fiber that suspends publishes all its frames
    first, so two domains never see the same latent frame. *)

type kernel_task = Dromos_kernel.Pool.context Dromos_hub.Hub.task

type node = exn Dromos_sync.Author.Once.t
(** A node of the cancellation tree: closed when cancelled. See {!Cancel}. *)

type guest_state = ..
(** A library's own record of a fiber. *)

type fiber = {
  mutable frames : frames; [@owner Frame]
  heap : Task_heap.t;
  signal : int Atomic.t;
      (** The run's signal. Forks call {!Fork.poll} while the signal is
          positive. It is positive while workers are idle or missing, a
          cancellation or a parallel search is not over yet, a quantum is over,
          a scheduler's instance looks for work, or the debug mode is on. *)
  mutable worker : worker; [@owner Slice]  (** the worker that runs the fiber *)
  mutable task : kernel_task; [@owner Publish]
      (** The fiber's latest kernel task. The next task of the fiber takes over
          the policy's notes from this task. *)
  mutable node : node; [@owner Surroundings]
      (** the innermost cancellation node *)
  mutable scope : scope; [@owner Surroundings]
      (** the innermost scope, which [async] uses *)
  mutable shield : int; [@owner Surroundings]
      (** cancellation is put off while positive *)
  mutable fls : Hmap.t; [@owner Surroundings]  (** fiber-local storage *)
  mutable depth : int; [@owner Spawn]
      (** the number of tasks that the fiber runs in place, inside each other *)
  mutable info : Info.t; [@owner Spawn]
      (** the description of the fiber, or of the task that the fiber runs in
          place *)
  mutable self_id : int; [@owner Fiber]
      (** The fiber's number; 0 until {!Fiber.val-id} is called. A task in place
          has a number of its own. *)
  mutable pin : int; [@owner Fiber]
      (** the only worker that may run the fiber at the root; -1: any worker *)
  mutable waits : string; [@owner Waiting]
      (** the reason of the wait, for messages *)
  mutable since : int; [@owner Waiting]
      (** the tick before the wait began; -1 until the first wait *)
  mutable stack : entry list; [@owner Waiting]
      (** the worker's action stack when the fiber last left the worker, for
          messages *)
  mutable handle : handle; [@owner Handle]
      (** the latest handle that a scheduler got for the fiber *)
  mutable given : directive; [@owner Handle]
      (** the last directive that was to run the fiber, kept in case no worker
          carries the directive out *)
  ends : unit -> unit;
      (** called when a scheduler's fiber and the fiber's actions are over *)
  mutable masked : int; [@owner Masked]
      (** the fiber is not preempted while positive *)
  mutable interruptible : int; [@owner Preempt]
      (** while positive, a preemption of the cancelled fiber raises [Cancelled]
      *)
  mutable yields : int; [@owner Yields]
      (** the number of yields since a yield last published a frame of the fiber
      *)
  mutable yielded_at : int; [@owner Yields]
      (** [slices] of the fiber's worker at the fiber's last yield *)
  mutable base : int; [@owner Carried]
      (** {!Carried.stack} of the fiber's own stack. Any other stack stands on
          top of this stack, under an effect handler of the program's. *)
  mutable asks : (unit -> unit) -> unit; [@owner Carried]
      (** asks the forking fiber of a branch to call the function;
          {!Nobody.no_fork} in other fibers *)
  mutable came_at : int * int; [@owner Place]
      (** The place at which the fiber last came into a shared queue, for the
          thread that looks for the fiber there. Written by the holder of the
          fiber's handle. *)
  mutable guests : guest list; [@owner Guest]
      (** the records that libraries with effects of their own keep of the fiber
      *)
  mutable witness : witness; [@owner Unreachable]
      (** a value that only this fiber leads to while the collector is asked *)
}
(** A fiber, or its context: the same record under two names. *)

and witness = int ref
and guest = { library : library; knows : guest_state }

and library = {
  library_name : string;
  forbids : guest_state -> bool;
      (** [true]: the library puts off cancellation of the fiber, also
          cancellation by a scope. Any thread may call the function. *)
  stopped : fiber -> guest_state -> (exn * Printexc.raw_backtrace) option;
      (** the error, if the library has cancelled the fiber and does not put the
          cancellation off *)
  cancels : guest_state -> exn -> bool;
      (** [true]: the library's code raises this exception when the code finds
          the fiber cancelled *)
  around : 'a. guest_state -> 'a block -> 'a block;
      (** turns a wait into the same wait with a second end: the library also
          ends the wait, with an error, when the library cancels the fiber *)
}
(** A library's part in a fiber's waits. The functions must not wait or raise.
*)

and 'a block = 'a Dromos_suspend.resumer -> 'a option

(** {1 Fork frames} *)

and frames = {
  mutable top : frame; [@owner Frame]  (** the newest latent or promoted frame *)
}
(** A fiber's frames, apart from the rest of the fiber, which other tasks know.
    Where tasks have heaps, the record and the frames belong to the fiber's heap
    alone, and only threads of the domain that runs the fiber read them. *)

and frame = Frame : ('code, 'own, 'b) fork -> frame [@@unboxed]

and ('code, 'own, 'b) fork = {
  code : 'code;
  mutable cell : ('code, 'own, 'b) cell; [@owner Latent]
  prev : frame;
}
(** A frame: a fork's second branch, while the first branch runs. ['own] is the
    state that an {!type-owner} keeps of the fork. *)

and ('code, 'own, 'b) cell =
  | Latent : (fiber -> 'b, 'own, 'b) cell
  | Owned of ('code, 'own, 'b) owner
      (** latent, and published through the owner instead of the run's hub *)
  | Promoted of ('own, 'b) join
  | Border of env
      (** not a fork: what the frames below inherit, from before the fiber
          changed it ({!Surroundings}) *)

and env = { in_scope : scope; under : node; shielded : bool; inherits : Hmap.t }
(** The surroundings that a branch takes over from the forking fiber. *)

and ('own, 'b) join = {
  state : 'b Join.t;
  branch : node;  (** the branch's first cancellation node *)
  branch_code : fiber -> 'b;  (** the code that the taker of the branch runs *)
  owned : 'own owned option;
  mutable record : (fiber -> unit, 'b Join.outcome) Task_heap.record;
      [@owner Branch]
      (** the branch's record after the publication, where tasks have heaps *)
}
(** A branch that was promoted. *)

and ('code, 'own, 'b) owner = {
  begin_own : unit -> 'own;
      (** makes the owner's state of a fork that is about to be published *)
  offer : worker -> branch -> unit;
      (** Publishes a branch of the fiber that the worker runs. Any thread may
          call the function, which must not wait or raise. *)
  taken : fiber -> 'own -> 'code -> 'b;
      (** the code of a branch that was taken *)
}
(** A scheduler with forks of its own, such as [Stealing.pval]. *)

and 'own owned = {
  publish : worker -> branch -> unit;  (** the owner's [offer] *)
  of_first : split;
  own : 'own;
}

and branch = {
  claim : unit -> bool;  (** starts the branch: [true] for one caller *)
  run_in : env;
  own_node : node;
  split : split;
  go_branch : fiber -> unit;  (** the branch's code, for the branch's fiber *)
}
(** A branch that is offered to the owner of its frame. *)

and split = {
  first : node;
  outer : node;
  place : exn Dromos_sync.Author.Once.listener;
      (** the place of [first] in [outer] *)
}
(** The cancellation state of a published owned frame: a node [first] between
    the first branch and the node [outer] of the surroundings, so that the rest
    of the first branch can be cancelled alone. *)

(** {1 Workers} *)

and worker = {
  id : int;
  run : run;
  mutable kernel : Dromos_kernel.Pool.context option; [@owner Worker]
      (** set by the first task that the worker runs *)
  mutable local : local; [@owner Worker]
      (** the record of the thread that acts for the worker *)
  mutable stop_requested : bool; [@owner Worker]
      (** a borrowed worker is asked to leave its role *)
  mutable over_quota : bool; [@owner Worker]
      (** the worker is over the bound, and leaves although there may be work *)
  mutable resting : bool; [@owner Worker]
      (** the worker found no work after its last task *)
  mutable written : bool; [@owner Worker]
      (** all output of the worker's tasks through [Format] is written *)
  mutable promotions : int; [@owner Promotion]
  mutable suspensions : int; [@owner Handler]
  turns : Turns.t;
  unbegun : own;
      (** the tasks that the worker has pushed, as far as they may not have
          begun *)
  waiters : (fiber, Info.holder) Registry.t;
      (** fibers whose first suspension was on this worker *)
  mutable ended : int; [@owner Waiting]
      (** the number of fibers that ended on this worker after a suspension on
          any worker *)
  mutable actions : entry list; [@owner Actions]
      (** the action stack, the current action first *)
  mutable next : directive; [@owner Actions]
      (** The directive of the fiber that left last; [stop] after the directive
          was carried out. *)
  mutable next_by : fiber; [@owner Actions]  (** the fiber that gave [next] *)
  queue : handle Ready_queue.t;
      (** the vproc's own queue: see {!Vproc_queue} *)
  serves_queue : int Atomic.t;
      (** the number of the fiber whose actions take from [queue]; 0: the
          kernel's loop takes *)
  inbox : int Atomic.t;
      (** the number of unbegun tasks that only this worker may run *)
  groups : int Atomic.t;
      (** the number of groups that the vproc was provided to *)
  mutable slices : int; [@owner Slice]
      (** the number of pieces of fibers that the worker has run *)
  mutable due : int; [@owner Quantum]
      (** the mark by which the running piece of a fiber must give way; 0: no
          mark *)
  mutable threads : worker_threads; [@owner Preempt]
}

and worker_threads = {
  mutable spares : local Slot.t list; [@owner Preempt]
      (** threads that wait to act for the worker *)
  mutable parked : local Slot.t list; [@owner Preempt]
      (** threads with a preempted fiber on the stack *)
  mutable made : Thread.t list; [@owner Preempt]
      (** the threads that were made for the worker *)
  mutable deferred : handle list; [@owner Preempt]
      (** preempted fibers that were resumed while other worker threads act for
          the worker *)
  mutable preemptions : int; [@owner Preempt]
  mutable put_off : int; [@owner Preempt]
      (** the number of attempts, since the last preemption, that found the
          fiber in code of the standard library that must not be interrupted *)
  refused : int Atomic.t;
      (** the number of quanta that ended without a preemption: too many fibers
          were parked, or the system had no thread left *)
  serve : unit -> unit;  (** the code of a thread made for the worker *)
}
(** The systhreads of one domain that act for a worker in turn. *)

and made = (about, kernel_task) Made.t
(** A task of a scope that may not have begun. *)

and about = {
  in_which : scope;
  its_storage : Hmap.t;
  its_info : Info.t;
  its_failed : failed;
  at : int;  (** approximate place in the worker's list: {!Made.is_far} *)
}

and failed = {
  failed :
    'a.
    scope ->
    Info.t ->
    'a Dromos_sync.Promise.t ->
    exn * Printexc.raw_backtrace ->
    unit;
}
[@@unboxed]
(** Resolves a task's promise with the failure, in the way of the task's scope.
*)

and own = (about, kernel_task) Made.own

(** {1 Actions} *)

(** The event of the fiber that ran under an action. *)
and signal =
  | Stop  (** the fiber has ended, or waits and comes back by [ready_again] *)
  | Preempt of handle  (** the fiber yields, or was preempted *)

and directive =
  | Forward of signal
  | Run of {
      action : action;
      fiber : fiber;
      mutable go : unit -> unit; [@owner Handle]
          (** {!Handle.resumed} after the directive was carried out *)
    }

and action = {
  action_name : string;
  turn : string;
      (** the reason of the wait for fibers in the action's hands, for messages
      *)
  act : signal -> directive;  (** the action's code; does not raise *)
  ready_again : (handle -> unit) option;
      (** Takes back a fiber that waited under this action; the topmost action
          with such a function is asked. Any thread may call the function, which
          does not raise. *)
}

and entry = { action : action; owner : fiber  (** the action's fiber *) }

and handle = {
  of_fiber : fiber;
  home : int;
      (** the only worker that can resume the fiber, because a thread of that
          worker's domain holds the fiber's stack; -1: any worker can *)
  go : (unit -> unit) Atomic.t;  (** resumes the fiber; see {!Handle} *)
}
(** A handle of a runnable fiber, for a scheduler. *)

(** {1 Runs} *)

and run = {
  pool : Dromos_kernel.Pool.t;
  run_signal : int Atomic.t;
  workers : worker array;
  hub_name : string;
  mask : Dromos_service.Signals.set;
      (** the caller's signal mask, for threads that the run makes *)
  backtraces : bool;
      (** The caller's setting of whether to record backtraces. The setting
          belongs to a domain; domains that serve the run take it over. *)
  over : bool Atomic.t;  (** the first fiber and all tasks have ended *)
  vacant : int Atomic.t;
      (** The number of roles that no worker serves and that could be filled;
          the run's signal includes the number. *)
  unserved : int Atomic.t;
      (** the number of roles that no worker serves, including roles that could
          not be filled *)
  ask_workers : unit -> unit;
      (** has a vacant role filled, if the bound allows *)
  look_around : worker -> unit;
      (** asks computing workers to publish the work that other workers cannot
          reach: see {!Crew} *)
  standing : bool;
      (** the run's caller is a domain that was made for the run, and waits for
          work *)
  attend : int -> (unit -> unit) -> unit;
      (** [attend id serve] calls [serve], once, on a thread that is about to
          serve as worker [id]; does not raise *)
  began : Minor_stops.mark;  (** when the run was made *)
  deques : Turns.deques;
  interruption : (exn * Printexc.raw_backtrace) Dromos_sync.Author.Once.t;
      (** The first exception from outside of all fibers, of a signal handler as
          a rule; the run raises the exception. Closed by {!Interruption}. *)
  notes : Orphan.t list Atomic.t;
      (** failures that {!Unhandled} reads later, newest first *)
  mutable root : scope; [@owner Scope]
      (** The outermost scope. Only this field of the library keeps the scope
          alive; {!Deadlock} can thus ask the collector whether the program
          keeps the scope too. *)
  quiet : Quiet.t;  (** the notes of {!Deadlock} about the run *)
  mutable keeps_domains : bool; [@owner Guest]
      (** Domains do not end before the run ends. Set when the run uses a
          library that may keep something in the domains; never cleared. *)
}
(** A call of [Dromos.run]. *)

and scope = {
  scope_run : run;
  scope_node : node;
  signalled : bool Atomic.t;
      (** The scope was cancelled, and the run's signal is raised for the scope;
          or the scope is over. *)
  pending : Pending.t;
      (** the number of parts that are not over: the body and the tasks *)
  failures : (exn * Printexc.raw_backtrace) list Atomic.t;
      (** the failures of the scope's parts: newest first, without cancellations
      *)
  orphans : Orphan.kept Atomic.t;
      (** Failed [async] tasks. The scope raises a task's exception if no fiber
          has awaited the task's promise by the end of the scope. *)
  mutable cut_short : bool; [@owner Scope]
      (** A part of the scope has left with [Cancelled], or never began. The
          part writes the field before the part is over; several parts may write
          at once. *)
  unhandled : Orphan.receiver;  (** the enclosing scope's, as a rule *)
}
(** Structured tasks: see {!Scope}. *)

(** {1 Threads} *)

and local = {
  mutable thread : int; [@owner Local]
      (** the thread's number, by {!Local}; -1: free *)
  mutable current : fiber; [@owner Local]  (** {!Nobody.fiber} between fibers *)
  mutable serving : worker option; [@owner Local]
  mutable companion : companion option; [@owner Local]
  mutable others : local list; [@owner Local]
      (** in a domain's first record: the records of the domain's other threads
      *)
  mutable hub_open : bool; [@owner Hub_door]
      (** this thread may use the run's hub as a worker *)
  mutable visited : bool; [@owner Hub_door]
      (** the publisher thread is in an operation of the hub *)
  mutable ask : unit -> unit; [@owner Companion]
      (** Asks the thread's publisher thread to publish the oldest latent frame.
          Any domain may call the function. *)
  mutable watch : unit -> unit; [@owner Companion]
      (** Asks the publisher thread to watch a run that sleeps: see {!Deadlock}.
          Called by the thread. *)
  mutable reads_frames : bool; [@owner Companion]
      (** the publisher thread has frames of the thread's fiber on its stack *)
  domain : Nudge.domain;
  mutable slot : local Slot.t option; [@owner Preempt]
  mutable outside : outside option; [@owner Storage]
      (** fiber-local storage for code that the thread runs outside fibers *)
}
(** The state of a thread that serves as a worker. *)

and outside = {
  read : unit -> Hmap.t;
  write : (Hmap.t -> unit) option;  (** [None]: only {!within} changes it *)
  within : 'a. Hmap.t -> (unit -> 'a) -> 'a;
}
(** A thread's own fiber-local storage, for code outside fibers: see {!Storage}.
*)

and companion = {
  stop : unit -> unit;
  lives : unit -> bool;
      (** [false] in a process forked after the companion was made *)
}
