(** The records of a run: fibers, their fork frames, workers; and the look-up of
    the fiber that the calling thread runs. Internal; no operation here
    schedules anything.

    {b Ownership.} The thread that runs a fiber writes the fiber's mutable
    fields. A publisher thread ({!Companion}) of the {e same domain} may also
    mark the fiber's latent frames. The two threads never run at the same time:
    systhreads of a domain alternate at poll points, so code between two poll
    points is atomic for them. For that reason a fork needs no atomic operation,
    and costs a few nanoseconds.

    A fiber that suspends publishes all its frames first, so two domains never
    see the same latent frame. *)

type 'a value = 'a Dromos_sync.Waiter.outcome Dromos_sync.Once.t
(** The result of the first branch of a fork, for a second branch that asks for
    the result. *)

type cancel = exn Dromos_sync.Once.t
(** A node of the cancellation tree: closed when cancelled. See {!Cancel}. *)

type guest_state = ..
(** A library's own record of a fiber. *)

type t = {
  mutable frames : frames;
  heap : Task_heap.t;
  signal : int Atomic.t;
      (** The run's signal. Forks call {!Fork.poll} while the signal is
          positive: workers are idle or missing, a cancellation is not over yet,
          or the debug mode is on. *)
  mutable worker : worker;
      (** The worker that runs the fiber; a resumption sets the field anew. *)
  mutable task : Dromos_kernel.Pool.context Dromos_hub.Hub.task;
      (** The fiber's latest kernel task. The next task of the fiber takes over
          the policy's notes from this task. *)
  mutable cancel : cancel;  (** the innermost cancellation node *)
  mutable scope : scope;  (** the innermost scope, which [async] uses *)
  mutable shield : int;  (** cancellation is put off while positive *)
  mutable depth : int;
      (** the number of tasks that the fiber runs in place, inside each other *)
  mutable self_id : int;
      (** The fiber's number; 0 until {!val-id} is called. A task in place has a
          number and an [info] of its own. *)
  mutable waits : string;
      (** the reason of the wait, for messages: see {!Waiting} *)
  mutable since : int;
      (** The tick before the wait began; -1 until the first wait. *)
  mutable info : info;
      (** The description of the fiber, or of the task that the fiber runs in
          place ({!Spawn}). *)
  mutable fls : Hmap.t;  (** fiber-local storage *)
  mutable pin : int;
      (** the only worker that may run the fiber at the root; -1: any worker *)
  mutable hand : ready;
      (** The latest handle that a scheduler got for the fiber; spent after the
          fiber was resumed. *)
  mutable stack : entry list;
      (** The worker's action stack when the fiber last left the worker, for
          messages. *)
  mutable given : directive;
      (** The last directive that was to run the fiber, kept in case no worker
          carries the directive out. *)
  ends : unit -> unit;
      (** Called when a scheduler's fiber and the fiber's actions are over. *)
  mutable masked : int;  (** the fiber is not preempted while positive *)
  mutable interruptible : int;
      (** While positive, a preemption of the cancelled fiber raises
          [Cancelled]. *)
  mutable yields : int;
      (** The number of yields since a yield last published a frame of the
          fiber: see {!Turns}. *)
  mutable yielded_at : int;
      (** [slices] of the fiber's worker at the fiber's last yield *)
  mutable base : int;
      (** {!Carried.stack} of the fiber's own stack. Any other stack stands on
          top of this stack, under an effect handler of the program's. *)
  mutable asks : (unit -> unit) -> unit;
      (** Asks the forking fiber of a branch to call the function; {!no_fork} in
          other fibers. *)
  mutable came_at : int * int;
      (** The place at which the fiber last came into a shared queue, for the
          thread that looks for the fiber there. The holder of the fiber's
          handle writes the field, in [Dromos_sched.Place]. *)
  mutable guests : guest list;
      (** The records that libraries with effects of their own keep of the
          fiber; empty until the fiber uses such a library. Written by the
          fiber: see {!Guest}. *)
  mutable witness : witness;
      (** A value that only this fiber leads to while the collector is asked.
          [Unreachable] writes the field while the fiber waits. *)
}
(** A fiber, or its context: the same record under two names. *)

and witness = int ref
and guest = { library : library; knows : guest_state }

and library = {
  library_name : string;
  forbids : guest_state -> bool;
      (** [true]: the library puts off cancellation of the fiber, also
          cancellation by a scope. Threads other than the fiber's call the
          function too. *)
  stopped : t -> guest_state -> (exn * Printexc.raw_backtrace) option;
      (** The error, if the library has cancelled the fiber and does not put the
          cancellation off. *)
  cancels : guest_state -> exn -> bool;
      (** [true]: the library's code raises this exception when the code finds
          the fiber cancelled. *)
  around : 'a. guest_state -> 'a block -> 'a block;
      (** Turns a wait into the same wait with a second end: the library also
          ends the wait, with an error, when the library cancels the fiber. *)
}
(** A library's part in a fiber's waits. The functions must not wait or raise.
*)

and 'a block = 'a Dromos_suspend.resumer -> 'a option

and info = {
  kind : string;
      (** the kind of fiber, for messages about a fiber without a name *)
  name : string;  (** [""] without a name *)
  made_at : Printexc.raw_backtrace option;
      (** the place where the fiber was made; in the debug mode only *)
  mutable waits_at : Printexc.raw_backtrace option;
      (** the place where the fiber waits; in the debug mode only *)
  hands : hands;
}
(** The description of a fiber in messages: see {!Waiting}. *)

and hands = {
  mutable whose : int;  (** the fiber's number, after the first wait *)
  whose_name : string;
  mutable held_for : string;
      (** The reason of the wait while a scheduler has the fiber; [""]: no
          scheduler has. *)
}
(** The record of whether a scheduler has the fiber. The record is apart from
    the fiber, because the collector may free the fiber earlier: see {!Dropped}.
*)

(** The fork frames of a fiber. A frame is a fork's second branch, while the
    first branch runs. *)
and frames = { mutable top : frame  (** the newest latent or promoted frame *) }
(** A fiber's frames, apart from the rest of the fiber, which other tasks know.
    Where tasks have heaps, the record and the frames belong to the fiber's heap
    alone, and only threads of the domain that runs the fiber read them. *)

and frame = Frame : ('code, 'a, 'b) fork -> frame [@@unboxed]

and ('code, 'a, 'b) fork = {
  code : 'code;
  mutable cell : ('code, 'a, 'b) cell;
  prev : frame;
}
(** ['a] is the result type of the first branch, for a second branch that asks
    for the result. *)

and ('code, 'a, 'b) cell =
  | Latent : (t -> 'b, 'a, 'b) cell
  | Owned of ('code, 'a, 'b) owner
      (** Latent, and published through the owner instead of the run's hub.
          Marking the frame makes the records that the owner's scheduler needs.
      *)
  | Promoted of ('a, 'b) join
  | Border of env
      (** Not a fork: the scope, node, shield and storage that the frames below
          inherit, from before the fiber changed them ([Cancel.inside]). *)

and env = {
  in_scope : scope;
  under : cancel;
  shielded : bool;
  inherits : Hmap.t;
}

and ('a, 'b) join = {
  state : 'b Join.t;
  branch : cancel;
  late : t -> 'b;  (** the branch's code, for the task that takes the branch *)
  owned : 'a owned option;
  mutable record : (t -> unit, 'b Join.outcome) Task_heap.record;
      (** the branch's record after the publication, where tasks have heaps *)
}
(** A branch that was promoted. *)

and ('code, 'a, 'b) owner = {
  offer : worker -> branch -> unit;
      (** Publishes a branch of the fiber that the worker runs. Any thread may
          call the function, which must not wait or raise. *)
  begin_late : t -> 'a value -> 'code -> 'b;
      (** the code of a branch that was taken *)
}
(** A scheduler with forks of its own. *)

and 'a owned = {
  publish : worker -> branch -> unit;  (** the owner's [offer] *)
  value : 'a value;  (** receives the result of the first branch *)
  remains : left;
}

and branch = {
  claim : unit -> bool;  (** starts the branch: [true] for one caller *)
  run_in : env;  (** the surroundings for the branch's fiber *)
  own_node : cancel;  (** the branch's first cancellation node *)
  left : left;
  go_branch : t -> unit;
      (** the branch's code; the branch's fiber calls the function *)
}

and left = {
  first : cancel;
  outer : cancel;
  hung : exn Dromos_sync.Once.listener;  (** the place of [first] in [outer] *)
}
(** The cancellation state of an owned frame that was published.

    [first] is a cancellation node between the first branch and the node [outer]
    of the surroundings, so that the rest of the first branch can be cancelled
    alone. Marking the frame stores [first] in [fiber.cancel], or in the oldest
    [Border] above the frame. The end of the first branch takes [first] out. *)

and worker = {
  id : int;
  run : run;
  mutable kernel : Dromos_kernel.Pool.context option;
      (** set by the first task that the worker runs *)
  mutable local : local;
      (** the record of the thread that acts for the worker *)
  mutable leave : bool;
      (** Asks a borrowed worker to leave its role. Any thread may write the
          field; the worker reads the field between two tasks. *)
  mutable shed : bool;
      (** the worker is over the bound, and leaves although there may be work *)
  mutable resting : bool;
      (** The worker found no work after its last task. Written by the worker,
          and by {!Roster} when a domain takes the role. *)
  mutable written : bool;
      (** All output of the worker's tasks through [Format] is written. The
          worker clears the field at the start of a task. *)
  mutable promotions : int;
  mutable suspensions : int;
  turns : turns;
  unbegun : own;
      (** the tasks that the worker has pushed, as far as they may not have
          begun *)
  waiters : (t, hands) Registry.t;
      (** fibers whose first suspension was on this worker *)
  mutable ended : int;
      (** the number of fibers that ended on this worker after a suspension on
          any worker *)
  mutable actions : entry list;
      (** the action stack, the current action first *)
  mutable next : directive;
      (** The directive of the fiber that left last; [stop] after the directive
          was carried out. *)
  mutable next_by : t;  (** the fiber that gave [next] *)
  queue : ready Ready_queue.t;  (** the vproc's own queue, see {!Task.enq_on} *)
  serves_queue : int Atomic.t;
      (** The identity of the fiber whose actions take from [queue]; 0: the
          kernel's loop takes. *)
  inbox : int Atomic.t;
      (** the number of unbegun tasks that only this worker may run *)
  groups : int Atomic.t;
      (** the number of groups that the vproc was provided to *)
  mutable slices : int;
      (** the number of pieces of fibers that the worker has run *)
  mutable due : int;
      (** The mark by which the running piece of a fiber must give way, see
          {!Quantum}; 0: no mark. *)
  mutable crowd : crowd;
}

and made = (about, Dromos_kernel.Pool.context Dromos_hub.Hub.task) Made.t
(** A task of a scope that may not have begun. *)

and about = {
  in_which : scope;
  its_storage : Hmap.t;
  its_info : info;
  its_failed : failed;
  at : int;
      (** the approximate place of the task in the worker's list: see
          {!Made.is_far} *)
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
(** Resolves a task's promise with the failure, in the way of the task's scope.
*)

and own = (about, Dromos_kernel.Pool.context Dromos_hub.Hub.task) Made.own

(** The event of the fiber that ran under an action. *)
and signal =
  | Stop  (** the fiber has ended, or waits and comes back by {!ready_again} *)
  | Preempt of ready  (** the fiber yields, or was preempted *)

and directive =
  | Forward of signal
  | Run of { action : action; fiber : t; mutable go : unit -> unit }
      (** [go] is {!spent} after the directive was carried out. *)

and action = {
  action_name : string;
  turn : string;
      (** the reason of the wait for fibers in the action's hands, for messages
      *)
  act : signal -> directive;  (** the action's code; does not raise *)
  ready_again : (ready -> unit) option;
      (** Takes back a fiber that waited under this action; the topmost action
          with such a function is asked. Any thread may call the function, which
          does not raise. *)
}

and entry = { action : action; owner : t  (** the action's fiber *) }

and ready = { of_fiber : t; home : int; go : (unit -> unit) Atomic.t }
(** A handle ([hand]) of a runnable fiber, for a scheduler. [home] is the only
    worker that can resume the fiber, because a thread of that worker's domain
    holds the fiber's stack; -1: any worker can. The thread that resumes the
    fiber exchanges [go] for {!spent}. *)

and seat = {
  place : local;
  mutex : Mutex.t;
  bell : Condition.t;
  sitter : Thread.t;
  mutable called : bool;
}
(** The slot ([seat]) in which a worker thread waits until the thread is called
    to act for the worker: see {!module-Preempt}. *)

and crowd = {
  mutable spares : seat list;
      (** worker threads that wait to act for the worker *)
  mutable parked : seat list;
      (** worker threads with a preempted fiber on the stack *)
  mutable threads : Thread.t list;
      (** the threads that were made for the worker *)
  mutable deferred : ready list;
      (** Preempted fibers that were resumed while another crowd acts for the
          worker. *)
  mutable preemptions : int;
  mutable put_off : int;
      (** The number of attempts, since the last preemption, that found the
          fiber in code of the standard library that must not be interrupted. *)
  refused : int Atomic.t;
      (** The number of quanta that ended without a preemption: too many fibers
          were parked, or the system had no thread left. *)
  serve : unit -> unit;  (** the code of a thread made for the worker *)
}
(** The worker threads ([crowd]) of a worker: systhreads of a single domain,
    which act for the worker in turn. *)

(** The hub's way of keeping new tasks; {!module-Turns} relies on deques of the
    hub's workers, newest task first. *)
and deques =
  | No_deques  (** no such deques, or a policy of the hub's own *)
  | Public  (** thieves take tasks from the deques *)
  | Private  (** a task moves only with the help of the deque's worker *)

and turns = {
  mutable woken : int;
      (** The number of fibers that were woken into the worker's deque since a
          fiber was last sent to the injector. *)
  mutable made : int;
      (** The number of new tasks in the worker's deque since a task was last
          sent to the injector. *)
  mutable gave_way : int;
      (** The number of new tasks sent to the injector since the worker last
          rested. *)
  mutable look_at : int;
      (** the number of slices at which the worker next reads the clock *)
  mutable looked : int;
      (** the clock at the worker's last look around; nanoseconds *)
}
(** A worker's counts, which give each runnable task its turn: see
    {!module-Turns}. Written by the worker. *)

and run = {
  pool : Dromos_kernel.Pool.t;
  run_signal : int Atomic.t;
  workers : worker array;
  hub_name : string;
  mask : Dromos_service.Signals.set;
      (** the caller's signal mask, for threads that the run makes *)
  backtraces : bool;
      (** The caller's setting of whether to record backtraces. The setting
          belongs to a domain; domains that serve the run take the caller's
          setting over. *)
  over : bool Atomic.t;  (** the first fiber and all tasks have ended *)
  vacant : int Atomic.t;
      (** The number of roles that no worker serves and that could be filled;
          the run's signal includes the number. *)
  unserved : int Atomic.t;
      (** The number of roles that no worker serves, including roles that could
          not be filled. *)
  ask_workers : unit -> unit;
      (** has a vacant role filled, if the bound allows *)
  look_around : worker -> unit;
      (** Asks computing workers to publish the work that other workers cannot
          reach: see {!Crew}. *)
  standing : bool;
      (** The run's caller is a domain that was made for the run, and waits for
          work. *)
  attend : int -> (unit -> unit) -> unit;
      (** [attend id serve] calls [serve], once, on a thread that is about to
          serve as worker [id]; does not raise *)
  began : Minor_stops.mark;  (** when the run was made *)
  deques : deques;
  interruption : (exn * Printexc.raw_backtrace) Dromos_sync.Once.t;
      (** The first exception from outside of all fibers, of a signal handler as
          a rule; the run raises the exception. Written by {!Interruption}. *)
  notes : orphan list Atomic.t;
      (** failures that {!Unhandled} reads later, newest first *)
  mutable root : scope;
      (** The outermost scope. Only this field of the library keeps the scope
          alive; {!Deadlock} can thus ask the collector whether the program
          keeps the scope too. *)
  watched : watched;
  mutable keeps_domains : bool;
      (** While set, domains do not end before the run ends. The use of a
          library that may keep something in the domains ({!Guest}) sets the
          field; no code clears the field. *)
}
(** A call of [Dromos.run]. *)

and watched = {
  mutable seen : int;
      (** the number of tasks that the run had executed at the last look, plus
          one *)
  mutable seen_everywhere : int;
      (** the sum of [seen] over all runs at the last look *)
  mutable quiet : int;  (** the number of looks since the run moved *)
  mutable calm : int;
      (** The number of looks since any run moved, or anything was pending in
          the process. *)
  mutable asked : asked;
      (** the last question to the collector since the run moved *)
  mutable patience : int;
      (** the number of looks before the next question to the collector *)
  mutable reported : (int * int) list;
      (** The waits that were reported: the fiber's number, and the tick at the
          start. *)
  mutable stage : stage;
}
(** The notes of {!Deadlock} about a run. Written by the thread that looks. *)

and asked =
  | Not_yet
  | In_vain of { calm : bool; at : int; elsewhere : int }
      (** The collector found that the fibers can still be woken. [calm]: the
          process was calm then. [at]: [quiet] then. [elsewhere]:
          [seen_everywhere] then. *)

and stage =
  | Watching
  | Settled  (** no more looks *)
  | Failed of exn  (** the run was cancelled with this exception *)
  | Abandoned of exn
      (** the cancelled fibers did not end: the run ends without them *)

and scope = {
  scope_run : run;
  node : cancel;
  signalled : bool Atomic.t;
      (** The scope was cancelled, and the run's signal is raised for the scope;
          or the scope is over. *)
  pending : Pending.t;
      (** the number of parts that are not over: the body and the tasks *)
  failures : (exn * Printexc.raw_backtrace) list Atomic.t;
      (** the failures of the scope's parts: newest first, without cancellations
      *)
  orphans : orphans Atomic.t;
  mutable cut_short : bool;
      (** A part of the scope has left with [Cancelled], or never began. The
          part writes the field before the part is over; several parts may write
          at once. *)
  unhandled : unhandled;  (** the enclosing scope's, as a rule *)
}
(** Structured tasks: see {!Scope}. *)

and unhandled = {
  tell : what:string -> exn -> Printexc.raw_backtrace -> unit;
      (** Reports a failure; does not raise. [what] names the part of the
          program that failed, for the message. *)
  reads : bool;
      (** [tell] calls a function of the program's: told failures count as
          handled. *)
}
(** The receiver of failures that no fiber awaits: see {!Unhandled}. *)

and orphan = {
  awaited : unit -> bool;
  error : exn * Printexc.raw_backtrace;
  failed_at : int;  (** the time of the failure, by {!Ticks.clock} *)
  told : bool Atomic.t;
      (** [of_scope] was told; the thread that tells sets the flag. *)
  what : string;  (** the name of the part that failed, for the message *)
  of_scope : unhandled;
  its_fls : Hmap.t;  (** the task's storage *)
}

and orphans = { kept : orphan list; length : int; limit : int }
(** Failed [async] tasks of a scope. The scope raises a task's exception if no
    fiber has awaited the task's promise by the end of the scope. *)

and local = {
  mutable thread : int;  (** the [Thread.id] of the thread; -1: free *)
  mutable current : t;  (** {!nobody} between fibers *)
  mutable serving : worker option;
  mutable companion : companion option;
  mutable others : local list;
      (** In a domain's first record: the records of the domain's other threads.
      *)
  mutable hub_open : bool;
      (** [true]: this thread may use the run's hub as a worker. The field is
          set while the thread runs a fiber, except during the hub's own
          operations. A signal handler or a finaliser may run in the middle of
          such an operation, and must not use the hub then. Written by
          {!Hub_door}. *)
  mutable visited : bool;
      (** The publisher thread is in an operation of the hub. Written by
          {!Hub_door}. *)
  mutable ask : unit -> unit;
      (** Asks the thread's publisher thread ([companion]) to publish the oldest
          latent frame. Any domain may call the function. See {!Companion}. *)
  mutable watch : unit -> unit;
      (** Asks the publisher thread to watch a run that sleeps: see {!Deadlock}.
          Called by the thread. *)
  mutable reads_frames : bool;
      (** the publisher thread has frames of the thread's fiber on its stack *)
  domain : Nudge.domain;
  mutable seat : seat option;
  mutable outside : outside option;
      (** Fiber-local storage for code that the thread runs outside fibers. *)
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

val no_orphans : orphans

val debug : bool
(** [DROMOS_DEBUG] is set, and not to [0]. *)

val stop : directive
(** [Forward Stop]; compared by address. *)

val spent : unit -> unit
val crowd : serve:(unit -> unit) -> crowd
val turns : unit -> turns

val recovered : unit -> unit
(** The value of [go] in a handle that another handle has replaced: see
    {!Task.recover}. *)

val no_fork : (unit -> unit) -> unit
(** [asks] of a fiber that is no branch; compared by address. *)

val awake : string
(** [waits] of a fiber that does not wait; compared by address. *)

val no_hands : hands
(** [hands] of a fiber without a record of its own; compared by address, and
    never written. *)

val no_hand : ready
(** A spent handle: [hand] of a fiber that no scheduler has got yet. *)

val nothing_made : made
(** The filler of every worker's list; never begun. *)

val nil : frame
(** The end of every chain of frames. *)

val enter_heap : t -> unit
(** Has the domain allocate in the fiber's heap from now on, or in the domain's
    own heap if the fiber has none; for runtimes where tasks have heaps. Called
    by a thread of the domain that runs the fiber. On the first entry the
    fiber's frames move to the record of the fiber's heap. *)

val no_frames : frames
(** The frames of fibers that have ended; never written. *)

val watched : stage -> watched
(** The state of a run before the first look. *)

val nowhere : int * int
(** [came_at] of a fiber that has been in no shared queue yet. *)

val no_witness : witness
(** [witness] of a fiber about which the collector has not been asked. *)

val nobody : t
(** The fiber of threads that run no fiber. *)

val is_nil : frame -> bool

val current : unit -> t
(** The fiber that the calling thread runs, or {!nobody}. *)

val id : t -> int
(** The fiber's {!Dromos_suspend.Self}. The fiber gets the number at the first
    call, which the fiber makes. *)

val is_host : t -> bool
(** [true]: the caller, which this fiber runs, is a task of another scheduler
    inside the fiber, such as {!Dromos_fifo}. These tasks share the fiber's
    record and end in any order, so they must not change the fiber's
    surroundings. *)

val local : unit -> local
(** The calling thread's record, made at the first call. *)

val find_local : unit -> local option
(** The calling thread's record, if the thread has one. *)

val workers : t -> int
val kernel : worker -> Dromos_kernel.Pool.context

val release : local -> unit
(** The calling thread stops serving: [release] stops the thread's companion and
    forgets the record. The main domain's first thread keeps its companion for
    later runs. A domain ends only after its last systhread has ended. *)
