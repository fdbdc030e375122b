(** Whether anybody could wake the fibers of runs in which nothing moves: asked
    of the garbage collector, as Saioc et al. do for Go ("Dynamic partial
    deadlock detection and recovery via garbage collection", ASPLOS 2025).
    Internal; for {!Deadlock}.

    A fiber can be resumed by whoever reaches its resumer or a scope around it.
    The runtime's own way to these is taken out ({!Let_go}): the runs' root
    scopes, the vprocs' queues for which schedulers wait, the graph of locks and
    who waits for them ({!Dromos_sync.Wait_graph}, {!Dromos_sync.Lock_watch}),
    and the functions of time limits ({!Dromos_service.Timer.val-limit});
    everything else of ours is weak. Then each waiting fiber gets a witness, a
    value that only the fiber leads to, with a finaliser. After a full major
    collection the fibers whose witness was finalised were reachable from no
    global, no stack of any thread or domain, no fiber that can run, no timer,
    watched descriptor or blocking call, no C root. The fibers survive: what was
    taken out, and a list of them, is held by values with finalisers.

    The collector treats the values with finalisers of one domain after those of
    another, and what the first has found unreachable is marked by then. A
    witness leads to nothing, so the order of the domains makes no difference,
    nor does what earlier questions have left in their tables.

    Several runs are asked about at once, so that runs which wait for each other
    are found.

    {b What is not proved} by one collection is asked of a second one: values
    that a finaliser of the program's has made reachable again, and values that
    only weak pointers or finalisers lead to. For the second collection every
    key of the program's ephemerons and weak arrays is a root, and so is every
    value that has a finaliser of the program's (a [Gc.alarm] too). (The heap
    variant does not list its ephemerons: there no fiber is found unreachable
    while the program has threads of its own.) A third one has the time limits
    back. *)

type verdict =
  | Unreachable  (** of all fibers of the run *)
  | Until_limit
      (** likewise, but for time limits, the next of which is so many seconds
          away *)
  | Weakly  (** weak pointers, or values with finalisers, lead to some *)
  | Reachable  (** some are *)
  | Woken  (** one has gone on meanwhile *)

val ask : Fiber.run -> also:Fiber.run list -> verdict
(** About the first run; none of the others leads to anything by itself. All
    must have been quiet, for a second, and none may be asked about by two
    threads at once. One to three full major collections, by the calling thread.
*)
