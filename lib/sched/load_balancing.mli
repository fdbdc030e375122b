(** Round robin on each vproc, and thieves that move fibers from the vprocs that
    have many to those that have none.

    For programs with many fibers of which most wait most of the time: a switch
    between fibers of one vproc touches nothing that others write but one word,
    which is nearly always unchanged, and all that moving fibers costs is paid
    when they are moved.

    {b Thieves.} A vproc with nothing to do makes a thief, a fiber that is to
    run on another vproc, lets it go to where thieves lurk, and sleeps. A vproc
    with at least two fibers in its queue lets in a thief, if one lurks, when it
    next switches. The thief runs there like any fiber, so it can look at the
    queue, which nobody else touches meanwhile, and sends up to half of it home;
    that wakes its vproc. If there is nothing that it may take it goes back to
    lurk, and is let in there again after a whole round at the earliest. So
    nobody asks anybody in vain while all are idle, or all are busy.

    Thieves are not stolen, nor are fibers that are {e pinned}, instances of
    other schedulers, and fibers preempted by force. A fiber that waited comes
    back to the vproc where it did. Fibers move between their turns only: those
    behind one that computes without yielding stay, unless there is
    {!Preemption}.

    Source: Manticore, section 3.3.3, where idle vprocs send thieves to others
    periodically. Model-checked: when thieves are sent and let in
    (test/sched/model). Tested: the rest (test/sched/policies).

    {[
      # module Sched = Dromos.Sched
        module Load = Sched.Load_balancing;;
      module Sched = Dromos.Sched
      module Load = Sched.Load_balancing
      # let moved =
          Dromos.run ~workers:2 (fun () ->
              Load.run (fun t ->
                  let moved = Atomic.make false in
                  let here = Sched.Vproc.host () in
                  let until_one_moves () =
                    while not (Atomic.get moved) do
                      if not Sched.Vproc.(equal here (host ())) then
                        Atomic.set moved true;
                      Sched.yield ()
                    done
                  in
                  for _ = 1 to 10 do
                    Load.spawn t ~on:here until_one_moves
                  done;
                  moved))
        in
        Atomic.get moved
      - : bool = true
    ]} *)

type t

val run :
  ?vprocs:Vproc.t list ->
  ?under:(Vproc.t -> Core.fiber -> unit) ->
  (t -> 'a) ->
  'a
(** Runs a function while the scheduler runs what it is given, on [vprocs]
    (default: all), and returns when all fibers that were made in it are over.
    The function itself is run by whoever ran its caller. [under]: see
    {!Attached.run}. The scheduler below has a turn in each round. *)

val spawn :
  t -> ?name:string -> ?on:Vproc.t -> ?pinned:bool -> (unit -> unit) -> unit
(** A fiber in the scope of the caller, in the queue of [on], by default the
    host. [pinned] (default: no): it stays there. Once {!run} is over, it runs
    at the root. By a fiber. Raises [Invalid_argument] if the scheduler does not
    run on [on]. *)

val give : t -> Vproc.t -> Core.fiber -> unit
(** Has the scheduler run a fiber that somebody made, first on that vproc. *)

val set_pinned : bool -> unit
(** Whether the calling fiber, and those that it makes otherwise than by
    {!spawn}, stay on their vproc. *)

val migrations : t -> int
(** How many fibers thieves have moved so far. *)
