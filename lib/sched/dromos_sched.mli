(** Schedulers written by users: several at once, nested, each in a page.

    {b The picture.} A run has a fixed number of {e vprocs}, its workers. Each
    vproc runs one fiber at a time, and keeps a stack of {e scheduler actions}.
    When the running fiber ends, waits or yields, the vproc takes the topmost
    action off the stack and calls the action with a {e signal}: [Stop], or
    [Preempt k] with a handle of the fiber. The action returns the next step of
    the vproc: {!run} an action and a fiber, or {!forward} a signal to the
    action below. Under all actions is the root, the kernel's loop, which runs
    the tasks of [Dromos.run] (forks, [async]) by work stealing. A scheduler
    without work waits, like any fiber, and its vproc goes to the action below.

    Round robin over one vproc's queue, whole:
    {[
      # module Sched = Dromos.Sched;;
      module Sched = Dromos.Sched
      # let rec round_robin vproc =
          Sched.action ~name:"mine" ~ready:(Sched.Vproc.enq_on vproc) (function
            | Sched.Stop -> dispatch vproc
            | Preempt k -> Sched.Vproc.enq k; dispatch vproc)
        and dispatch vproc =
          Sched.run (round_robin vproc) (Sched.Vproc.deq ());;
      val round_robin : Sched.Vproc.t -> Sched.action = <fun>
      val dispatch : Sched.Vproc.t -> Sched.directive = <fun>
      # let speak said who () =
          for i = 1 to 2 do
            Queue.add (Printf.sprintf "%s%d" who i) said;
            Sched.yield ()
          done;;
      val speak : string Queue.t -> string -> unit -> unit = <fun>
      # let said = Queue.create () in
        Dromos.run ~workers:1 (fun () ->
            Sched.Attached.run ~name:"mine" dispatch (fun () ->
                Sched.Vproc.enq (Sched.fiber (speak said "a"));
                Sched.Vproc.enq (Sched.fiber (speak said "b"))));
        List.of_seq (Queue.to_seq said)
      - : string list = ["a1"; "b1"; "a2"; "b2"]
    ]}

    {b Rules.} A scheduler runs a fiber once, or gives its handle to another
    scheduler. Running a handle twice is an error at once; the deadlock report
    of [Dromos.run] finds a forgotten handle. The vproc acts only on the
    directive that an action returns: calling {!run} and dropping the result has
    no effect. Actions may wait; [ready] functions may not.

    {b Everything else works inside.} Fibers of any scheduler use [Dromos.both],
    [async], [Scope], and all structures that wait by {!Dromos_suspend}.
    Cancellation and exceptions of a fiber belong to the scope in which the
    fiber was made. Tasks that fibers publish ([async], a branch of a fork taken
    by an idle worker) belong to the root.

    Source: Fluet, Rainey, Reppy,
    {e A scheduling framework for general-purpose parallel languages} (ICFP
    2008). Checked: see test/sched. *)

include module type of struct
  include Core
end

module Fls = Fls
module Vproc = Vproc
module Attached = Attached
module Preemption = Preemption

module Ready_queue = Dromos_fiber.Ready_queue
(** The queue of a scheduler for one vproc. *)

module Shared_queue = Shared_queue
(** The queue of a scheduler with an instance on each vproc. *)

module Inheritance = Inheritance
(** Levels that the holder of a lock inherits from the fibers waiting for the
    lock. *)

(** {1 Schedulers} *)

module Round_robin = Round_robin

module Load_balancing = Load_balancing
(** Round robin, with thieves that move fibers to idle vprocs. *)

module Priority = Priority
(** Strict priorities, with ageing if wanted. *)

module Deadline = Deadline
(** Earliest deadline first; periodic fibers. *)

module Bounded = Bounded
(** At most a given number of fibers run at once. *)

module Stealing = Stealing
(** Work stealing, with parallel bindings. *)

module Cancelable = Cancelable
(** Trees of cancellation across schedulers. *)

module Speculate = Speculate
(** Parallel or. *)

module Gang = Gang
(** Futures that are touched once, taken from one queue by a gang of vprocs. *)

module Parray = Parray
(** Parallel arrays under the gang scheduler. *)

module Engine = Engine
(** Computations that run for a given time and can be continued; nested. *)

module Proportional = Proportional
(** Groups of fibers with shares by weight. *)

(** {1 Threads} *)

module Cml = Cml
