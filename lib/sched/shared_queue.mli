(** A queue of fibers ordered by rank, for schedulers with an instance on each
    vproc. An instance waits while there is no fiber for its vproc.

    {b Roles.} {!add} and {!leave}: any thread. {!run_next}: an action, or the
    first code of an instance. {b Cost.} A compare-and-set on one word for each
    fiber added and taken, and time logarithmic in the length. The queue steps
    over fibers for other vprocs ({!Dromos_sched.only_on}) one by one.

    {b How far the queue scales.} To take a fiber and add it again costs 0.25 to
    0.6 us on one vproc and 0.4 to 0.9 us per fiber on two vprocs without other
    work (1,000 and 100,000 fibers in the queue). The queue therefore passes 1
    to 2 million fibers a second, on any number of vprocs: fibers that run for
    less than a microsecond at a time gain nothing by a second vproc. With two
    vprocs a fifth to two fifths of the compare-and-sets fail and are repeated;
    a pause before the repetition gains nothing. A binary heap under a spin lock
    took 0.3 to 0.9 us on two domains, and under a mutex 1.1 to 1.6. The order
    has this price in any structure, and the queue is lock-free. The queue is a
    tree, and causes twice as many minor collections as queues of each vproc,
    and minor collections stop all domains: with fewer free cores than vprocs, a
    run of a million fibers may take longer on two vprocs than on one.
    {!Stealing} and {!Round_robin}, which keep no order among vprocs, are for
    such programs. Measured by [bench/main.exe --only sched_together].

    {b Which instances are woken.} An instance that finds no fiber waits. For an
    added fiber the queue wakes an instance whose vproc is idle, and all
    instances whose vprocs are busy, since a busy vproc may be free sooner. A
    fiber therefore does not wait for a busy vproc while another vproc is idle.
    No instance runs while there is no work. If there is no instance to wake,
    and {!Preemption} is on, the queue preempts the vproc that runs the fiber of
    the greatest rank, if the new fiber's rank is smaller ({!Vproc.preempt}).

    Model-checked (test/sched/model), except the choice of the vproc to preempt.
*)

type t

val create : ?places:int -> unit -> t
(** With [places], at most [places] fibers are away from the queue at a time;
    the scheduler must give each place back ({!leave}). *)

val add : t -> rank:int -> Core.fiber -> unit
(** Adds a fiber. The smallest rank leaves first; of equal ranks, the first to
    come. Does not wait. Raises [Invalid_argument] if the fiber belongs to
    another run than the instances ({!attach}). *)

val arrivals : t -> int
(** The number of fibers added so far. *)

val length : t -> int

(** {1 Ranks that change}

    Any handle of a fiber will do, even a handle that has been run since. *)

val set_rank : t -> Core.fiber -> rank:int -> bool
(** Gives a fiber in the queue another rank, in one step: no thread sees the
    queue without the fiber. Among fibers of the new rank, the fiber has the
    place of its arrival. If the fiber moves forward and {!Preemption} is on, a
    vproc that runs a fiber of a greater rank is preempted, as for a new fiber
    of the rank.

    [false] if the fiber is not in the queue: the fiber has been taken, was
    never added, or is just being added with another rank. If an instance runs
    the fiber, the queue uses the new rank from now on to choose a vproc to
    preempt, and preempts the fiber if the first fiber of the queue has a
    smaller rank. The next {!add} decides the rank with which the fiber comes
    back. A scheduler therefore stores the values that a rank is made of, calls
    [set_rank], and compares the values once more after each {!add}, as
    {!Priority} does.

    From anywhere; neither waits nor raises. A compare-and-set, logarithmic in
    the length; the choice of a vproc to preempt is linear in the number of
    vprocs.

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
(** The rank of a fiber in the queue. From anywhere; logarithmic. *)

val arrival : Core.fiber -> int
(** The number of fibers that came into the queue before the fiber's last
    arrival. Also after the fiber has left; if the fiber was in several queues,
    for the last queue. *)

(** {1 For schedulers} *)

val run_next : t -> (unit -> Core.action) -> Core.directive
(** {!Dromos_sched.run} with the first fiber that may run on this vproc. Waits
    while there is no such fiber, or no place. {!Dromos_sched.stop} if the
    instance is cancelled while waiting. *)

val leave : t -> unit
(** Gives a place back. Raises [Invalid_argument] if no place is taken. *)

val check : call:string -> t -> unit
(** Raises [Invalid_argument] in the name of [call] if the caller is a fiber of
    another run than the instances. Call [check] before making a fiber. *)

val check_fiber : call:string -> t -> Core.fiber -> unit
(** Raises [Invalid_argument] in the name of [call] if the fiber belongs to
    another run than the instances. *)

val attach :
  name:string ->
  ?vprocs:Vproc.t list ->
  ?under:(Vproc.t -> Core.fiber -> unit) ->
  ?give:(Core.fiber -> unit) ->
  t ->
  (unit -> Core.directive) ->
  (unit -> 'a) ->
  'a
(** {!Attached.run} for the queue's instances. After the end of the last
    instance, fibers in the queue, and fibers added later, go to the root. *)
