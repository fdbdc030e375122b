(** Strict priorities: of all runnable fibers, the fibers of the highest
    priority run, in turn.

    All vprocs share one queue. With a queue for each vproc, a vproc would run
    its own fibers of low priority while fibers of high priority wait in the
    queue of another vproc, and the order would be lost. Every switch therefore
    costs a compare-and-set on a word that all vprocs share, and the scheduler
    is for fibers that compute for microseconds at least between two switches: a
    thousand fibers that only yield, a million times, take 2.3 s on one vproc
    and 1.5 on two, a million fibers that end at once 10.3 and 5.9 s, if both
    vprocs have a core. {!Shared_queue} has the limits.

    When a fiber of higher priority becomes ready, a running fiber gives way at
    once where {!Preemption} is on, otherwise when it next waits or yields.
    Under load a fiber of low priority may never have its turn, unless there is
    [ageing].

    {b Inheritance}: while a fiber waits for a [Dromos.Mutex] (or for another
    lock listed by {!Inheritance}), the holder of the mutex counts for the
    fiber's priority if it is higher than the holder's own. The higher priority
    counts in the queue, running or waiting. The holders of the locks for which
    the holder itself waits inherit the priority too. A fiber of middle priority
    therefore does not come between. A holder that releases the lock counts for
    the waiters of its other locks, else for its own priority. A holder that
    runs under another scheduler, or inside a scheduler nested in this one, is
    not moved.

    {[
      # module Sched = Dromos.Sched
        let speak said who () =
          for i = 1 to 2 do
            Queue.add (Printf.sprintf "%s%d" who i) said;
            Sched.yield ()
          done;;
      module Sched = Dromos.Sched
      val speak : string Queue.t -> string -> unit -> unit = <fun>
      # let said = Queue.create () in
        Dromos.run ~workers:1 (fun () ->
            Sched.Priority.run (fun t ->
                Sched.Priority.spawn t ~priority:1 (speak said "low");
                Sched.Priority.spawn t ~priority:5 (speak said "a");
                Sched.Priority.spawn t ~priority:5 (speak said "b")));
        List.of_seq (Queue.to_seq said)
      - : string list = ["a1"; "b1"; "a2"; "b2"; "low1"; "low2"]
    ]}

    A fiber of low priority holds a lock that a fiber of high priority wants:
    {[
      # let inversion ~inherits =
          let said = Queue.create () and lock = Dromos.Mutex.create () in
          let say what = Queue.add what said in
          Dromos.run ~workers:1 (fun () ->
              Sched.Priority.run ~inherits (fun t ->
                  Sched.Priority.spawn t ~priority:1 (fun () ->
                      Dromos.Mutex.protect lock (fun () ->
                          Sched.Priority.spawn t ~priority:9 (fun () ->
                              Dromos.Mutex.protect lock (fun () -> say "high"));
                          Sched.Priority.spawn t ~priority:5 (fun () ->
                              say "middle");
                          Sched.yield ();
                          say "low"))));
          List.of_seq (Queue.to_seq said)
      val inversion : inherits:bool -> string list = <fun>
      # inversion ~inherits:false
      - : string list = ["middle"; "low"; "high"]
      # inversion ~inherits:true
      - : string list = ["low"; "high"; "middle"]
    ]} *)

type t

val run :
  ?vprocs:Vproc.t list ->
  ?under:(Vproc.t -> Core.fiber -> unit) ->
  ?ageing:int ->
  ?inherits:bool ->
  (t -> 'a) ->
  'a
(** Runs a function while the scheduler runs the fibers given to it on [vprocs]
    (default: all). Returns when all fibers made in the function are over. The
    scheduler of the caller runs the function itself. [under]: see
    {!Attached.run}.

    With [ageing] a fiber in the queue counts as one level higher for every
    [ageing] fibers that have come after it. At most [(q - p) * ageing] arrivals
    of priority [q] therefore pass a fiber of priority [p], and all fibers have
    their turn. Raises [Invalid_argument] if [ageing] is not positive.

    With [~inherits:false] no priority is inherited. *)

val spawn : t -> ?name:string -> priority:int -> (unit -> unit) -> unit
(** Makes a fiber in the scope of the caller. Larger numbers go first, fibers of
    equal priority take turns. After the end of {!run}, the fiber runs at the
    root. Call [spawn] in a fiber. *)

val give : t -> ?priority:int -> Core.fiber -> unit
(** Gives an existing fiber to the scheduler, for example an instance of a
    scheduler that is to run inside ([Deadline.run ~under:(fun _ -> give t)]).
    The default priority is the priority that the fiber carries, or 0. *)

val priority : unit -> int
(** The calling fiber's own priority; 0 at first. Fibers inherit the priority of
    the fiber that makes them. A fiber keeps its priority over waits. Priorities
    lent to the fiber are not included. *)

val set_priority : int -> unit
(** Sets the calling fiber's priority from its next wait or yield on. *)

val set_priority_of : t -> Core.fiber -> int -> unit
(** Sets another fiber's priority. Any handle of the fiber will do, even a
    handle that was run long ago. A fiber in the queue is at its new place when
    the call returns, without leaving the queue in between; among fibers of
    equal priority the fiber keeps the place of its arrival. A fiber that runs
    or waits goes into the queue with the new priority after its next wait or
    yield. With {!Preemption} a vproc gives way at once: a vproc that runs a
    less urgent fiber than the moved fiber, or the vproc that runs the fiber
    itself if a fiber in the queue is now more urgent.

    From anywhere, [ready] functions included. Never waits, and no change is
    lost in a race with the fiber's own waits and yields. Logarithmic in the
    length of the queue. Several changes at once take effect in some order.
    Raises [Invalid_argument] if the fiber was never given to a priority
    scheduler. Has no effect on a fiber that is over.

    {[
      # let said = Queue.create () in
        Dromos.run ~workers:1 (fun () ->
            Sched.Priority.run (fun t ->
                let job who = Sched.fiber (speak said who) in
                let a = job "a" and b = job "b" in
                Sched.Priority.give t ~priority:2 a;
                Sched.Priority.give t ~priority:1 b;
                Sched.Priority.set_priority_of t b 3));
        List.of_seq (Queue.to_seq said)
      - : string list = ["b1"; "b2"; "a1"; "a2"]
    ]} *)
