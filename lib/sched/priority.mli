(** Strict priorities: of the fibers that could run, those of the highest
    priority do, in turn.

    One queue for all vprocs: with a queue for each, a vproc would run its own
    fibers of low priority while others of high priority stand in line
    elsewhere, and so the order would be none. Hence every switch costs a
    compare-and-set that all vprocs share, and the scheduler is for fibers that
    compute for microseconds at least between two switches: a thousand fibers
    that do nothing but yield a million times take 2.3 s on one vproc and 1.5 on
    two, a million fibers that end at once 10.3 and 5.9 s, if both vprocs have a
    core; {!Shared_queue} says how far that goes.

    A running fiber gives way to one of higher priority that becomes ready at
    once where {!Preemption} is on, otherwise when it next waits or yields.
    Under load a low priority may never have its turn, unless there is [ageing].

    {b Inheritance}: while a fiber waits for a [Dromos.Mutex] (or the others
    that {!Inheritance} lists), the holder of the mutex counts for the priority
    of that fiber if that is higher than its own, in the queue, running or
    waiting, and so do the holders of the locks for which this holder waits. A
    middle priority therefore does not come between. A holder that releases the
    lock counts for what its other locks have as waiters, else for its own
    priority. A holder that another scheduler runs, or one that runs inside this
    one, is not moved.

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

    Low holds what high wants:
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
(** Runs a function while the scheduler runs what it is given, on [vprocs]
    (default: all), and returns when all fibers that were made in it are over.
    The function itself is run by whoever ran its caller. [under]: see
    {!Attached.run}.

    With [ageing] a fiber in the queue counts as one level higher for every
    [ageing] fibers that have come after it. So one of priority [p] is passed by
    at most [(q - p) * ageing] arrivals of priority [q], and all have their
    turn. Raises [Invalid_argument] if it is not positive.

    With [~inherits:false] no priority is inherited. *)

val spawn : t -> ?name:string -> priority:int -> (unit -> unit) -> unit
(** A fiber in the scope of the caller; larger numbers go first, equal ones take
    turns. Once {!run} is over, it runs at the root. By a fiber. *)

val give : t -> ?priority:int -> Core.fiber -> unit
(** Has the scheduler run a fiber that somebody made: an instance of a scheduler
    that is to run inside ([Deadline.run ~under:(fun _ -> give t)]). By default
    with the priority that it carries already, or 0. *)

val priority : unit -> int
(** The calling fiber's own, which those that it makes inherit; 0 at first. It
    travels with the fiber, also when that waits; what others lend to the fiber
    is not in it. *)

val set_priority : int -> unit
(** The calling fiber's from its next wait or yield on. *)

val set_priority_of : t -> Core.fiber -> int -> unit
(** Another fiber's, found by any handle of it, also one that was run long ago.
    One that is in the queue is at its new place when the call returns, at once
    and without having left; among equals it keeps the place of its arrival. One
    that runs or waits lines up with the new priority from its next wait or
    yield on. With {!Preemption} a vproc gives way at once: to the fiber if that
    was moved before what runs there, or the fiber itself if it runs and others
    come before it now.

    From anywhere, also by [ready] functions; neither waits nor loses a change
    to a race with the fiber's own comings and goings. Logarithmic in the
    length. Of several changes at once one is the last. Raises
    [Invalid_argument] if the fiber was never given to such a scheduler. Of a
    fiber that is over it does nothing.

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
