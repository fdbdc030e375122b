(** A queue of fibers that an instance on each vproc takes from, in the order of
    ranks, waiting while there is nothing for it.

    {b Roles.} {!add} and {!leave}: any thread. {!run_next}: an action, or the
    first code of an instance. {b Cost.} One compare-and-set on one word for
    each fiber added and taken, and time logarithmic in the length; fibers that
    can run elsewhere only ({!Dromos_sched.only_on}) are stepped over one by
    one.

    {b How far the queue scales.} To take a fiber and add it again costs 0.25 to
    0.6 us on one vproc and 0.4 to 0.9 us per fiber on two that do nothing else
    (1,000 and 100,000 fibers in the queue), so that the queue passes 1 to 2
    million fibers a second, on any number of vprocs: fibers that run for less
    than a microsecond at a time gain nothing by a second vproc. With two vprocs
    a fifth to two fifths of the compare-and-sets fail and are done again; to
    pause before that gains nothing. A binary heap under a spin lock took 0.3 to
    0.9 us on two domains and under a mutex 1.1 to 1.6, so the order has this
    price in any structure, and the queue is lock-free. The tree makes twice as
    many minor collections as queues of each vproc do, and these stop all
    domains: where the vprocs have fewer free cores than they are, a run of a
    million fibers may take longer on two vprocs than on one. {!Stealing} and
    {!Round_robin}, which keep no order among vprocs, are for such programs.
    Measured by [bench/main.exe --only sched_together].

    {b Who is woken.} An instance that finds nothing waits. For a fiber that is
    added the queue wakes one whose vproc has nothing else to do, and besides
    those whose vprocs are busy, since one of these may be free sooner; so a
    fiber does not wait for one busy vproc while another is idle. At rest nobody
    runs. If there is nobody to wake, and {!Preemption} is on, the vproc that
    runs the fiber of the greatest rank is preempted, if that is greater than
    the new one's ({!Vproc.preempt}).

    Model-checked (test/sched/model), but for whom to preempt. *)

type t

val create : ?places:int -> unit -> t
(** With [places] at most so many fibers are away from the queue at a time;
    their places must be given back ({!leave}). *)

val add : t -> rank:int -> Core.fiber -> unit
(** The smallest rank leaves first; of equal ones the first that came. Does not
    wait. Raises [Invalid_argument] if the fiber belongs to another run than the
    instances ({!attach}). *)

val arrivals : t -> int
(** How many have been added so far. *)

val length : t -> int

(** {1 Ranks that change}

    A fiber is found by any handle of it, also one that has been run since. *)

val set_rank : t -> Core.fiber -> rank:int -> bool
(** Gives a fiber that is in the queue another rank, in one step: nobody sees
    the queue without it. Among fibers of the new rank it has the place of its
    arrival. If it is moved forward and {!Preemption} is on, a vproc that runs a
    fiber of a greater rank is preempted, as for a new fiber of that rank.

    [false] if the fiber is not in the queue: it has been taken, was never
    added, or comes just now with another rank. Then, if an instance runs it,
    the queue counts it as of the new rank from now on when it looks for whom to
    preempt, and preempts it if the first in the queue goes before that; what
    rank it comes back with is for the next {!add} to say. A scheduler therefore
    writes down what a rank is made of, calls [set_rank], and compares once more
    after each {!add}, as {!Priority} does.

    From anywhere; neither waits nor raises. One compare-and-set, logarithmic in
    the length; looking for whom to preempt is linear in the number of vprocs.

    {[
      # module Shared = Dromos.Sched.Shared_queue
        let queue_of () =
          let queue = Shared.create () in
          let rec next () =
            Shared.run_next queue (fun () ->
                Dromos.Sched.action ~name:"by rank" (fun _ -> next ()))
          in
          (queue, next);;
      module Shared = Dromos.Sched.Shared_queue
      val queue_of : unit -> Shared.t * (unit -> Dromos_sched.directive) = <fun>
      # Dromos.run ~workers:1 (fun () ->
            let queue, next = queue_of () in
            Shared.attach ~name:"by rank" queue next (fun () ->
                let say what = Dromos.Sched.fiber (fun () -> print_string what) in
                let last = say "c " and first = say "a " in
                Shared.add queue ~rank:9 last;
                Shared.add queue ~rank:5 first;
                Shared.add queue ~rank:5 (say "b ");
                ignore (Shared.set_rank queue last ~rank:1 : bool)))
      c a b
      - : unit = ()
    ]} *)

val rank : t -> Core.fiber -> int option
(** The rank of a fiber that is in the queue. From anywhere; logarithmic. *)

val arrival : Core.fiber -> int
(** How many had come into the queue before the fiber came into it last. Also
    when it has left; of the last queue if there were several. *)

(** {1 For schedulers} *)

val run_next : t -> (unit -> Core.action) -> Core.directive
(** {!Dromos_sched.run} with the first fiber that may run on this vproc; waits
    while there is none, or no place. {!Dromos_sched.stop} if the instance is
    cancelled while it waits. *)

val leave : t -> unit
(** Gives a place back. Raises [Invalid_argument] if none is taken. *)

val check : call:string -> t -> unit
(** Raises [Invalid_argument] in the name of [call] if the caller is a fiber of
    another run than the instances: before such a call makes a fiber. *)

val check_fiber : call:string -> t -> Core.fiber -> unit
(** Likewise if that fiber belongs to another run. *)

val attach :
  name:string ->
  ?vprocs:Vproc.t list ->
  ?under:(Vproc.t -> Core.fiber -> unit) ->
  ?give:(Core.fiber -> unit) ->
  t ->
  (unit -> Core.directive) ->
  (unit -> 'a) ->
  'a
(** {!Attached.run}. When the last instance is over, fibers that are in the
    queue, or come later, go to the root. *)
