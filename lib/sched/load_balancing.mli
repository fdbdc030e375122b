(** Round robin on each vproc, and thieves that move fibers from vprocs with
    many fibers to vprocs without any.

    For programs with many fibers of which most wait most of the time. A switch
    between fibers of one vproc touches only one word that other vprocs write,
    and the word rarely changes. Moving fibers has a cost only when fibers are
    moved.

    {b Thieves.} A vproc without work makes a thief, a fiber to be run by
    another vproc, puts the thief into a shared list, and sleeps. A vproc with
    at least two fibers in its queue lets in a thief from the list at its next
    switch. The thief runs there like any fiber, so no other fiber touches the
    queue meanwhile. The thief sends up to half of the queue home, and the
    arrivals wake its vproc. A thief that finds no fiber to take goes back to
    the list; the vproc lets in the next thief after a whole round at the
    earliest. While all vprocs are idle, or all are busy, no thief runs in vain.

    Thieves are not stolen, and {e pinned} fibers, instances of other
    schedulers, and fibers preempted by force are not stolen either. A fiber
    that waited comes back to the vproc where it waited. Fibers move between
    their turns only: while a fiber computes without yielding, the fibers queued
    behind stay, unless there is {!Preemption}.

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
(** Runs a function while the scheduler runs the fibers given to it on [vprocs]
    (default: all). Returns when all fibers made in the function are over. The
    scheduler of the caller runs the function itself. [under]: see
    {!Attached.run}. The scheduler below has a turn in each round. *)

val spawn :
  t -> ?name:string -> ?on:Vproc.t -> ?pinned:bool -> (unit -> unit) -> unit
(** Makes a fiber in the scope of the caller, in the queue of [on], by default
    the host. A fiber with [pinned] (default: no) stays on its vproc. After the
    end of {!run}, the fiber runs at the root. Call [spawn] in a fiber. Raises
    [Invalid_argument] if the scheduler does not run on [on]. *)

val give : t -> Vproc.t -> Core.fiber -> unit
(** Gives an existing fiber to the scheduler, to run first on the given vproc.
*)

val set_pinned : bool -> unit
(** [true]: the calling fiber stays on its vproc, and so does each fiber that it
    makes otherwise than by {!spawn}. *)

val migrations : t -> int
(** The number of fibers that thieves have moved so far. *)
