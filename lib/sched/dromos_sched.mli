(** Schedulers written by users: several at once, nested, each in a page.

    {b The picture.} A run has a fixed number of {e vprocs}, its workers. Each
    vproc runs one fiber at a time, and keeps a stack of {e scheduler actions}.
    When the running fiber ends, waits or yields, the topmost action is taken
    off the stack and given a {e signal}: [Stop], or [Preempt k] with the fiber
    in hand. What the action returns says how the vproc goes on: {!run} an
    action and a fiber, or {!forward} a signal to the action below. Under all
    actions is the root, the kernel's loop, which runs the tasks of [Dromos.run]
    (forks, [async]) by work stealing. A scheduler that has nothing to do waits,
    like any fiber, and its vproc is the business of the action below.

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

    {b Rules.} A fiber in hand is run once, or given to somebody who will;
    running it twice is an error at once, and one that is forgotten is found by
    the deadlock report of [Dromos.run]. What an action returns is what happens:
    nothing is done by calling {!run} and dropping the result. Actions may wait;
    [ready] functions may not.

    {b Everything else works inside.} Fibers of any scheduler use [Dromos.both],
    [async], [Scope], and all that waits by {!Dromos_suspend}; cancellation and
    exceptions are those of the scope in which a fiber was made. Tasks that they
    publish ([async], a fork's branch taken by an idle worker) belong to the
    root.

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

module Ready_queue = Ready_queue
(** The queue of a scheduler that is written for one vproc. *)

module Shared_queue = Shared_queue
(** The queue of a scheduler that has an instance on each vproc. *)

module Inheritance = Inheritance
(** Levels that the holder of a lock inherits from those that wait for it. *)

(** {1 Schedulers} *)

module Round_robin = Round_robin

module Load_balancing = Load_balancing
(** Round robin, with thieves that move fibers to idle vprocs. *)

module Priority = Priority
(** Strict priorities, with ageing if wanted. *)

module Deadline = Deadline
(** Earliest deadline first; periodic fibers. *)

module Bounded = Bounded
(** At most so many of its fibers run at once. *)

module Stealing = Stealing
(** Work stealing, with parallel bindings. *)

module Cancelable = Cancelable
(** Trees of cancellation across schedulers. *)

module Speculate = Speculate
(** Parallel or. *)

module Gang = Gang
(** One-touch futures, taken from one queue by a gang of vprocs. *)

module Parray = Parray
(** Parallel arrays under the gang scheduler. *)

module Engine = Engine
(** Computations that run for a given time, and can be continued; nested. *)

module Proportional = Proportional
(** Groups of fibers with shares by weight. *)

(** {1 Threads} *)

module Cml = Cml
