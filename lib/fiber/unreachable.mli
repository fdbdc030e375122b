(** Asks the garbage collector whether the program can still wake the fibers of
    runs in which nothing moves, as Saioc et al. do for Go ("Dynamic partial
    deadlock detection and recovery via garbage collection", ASPLOS 2025).
    Internal; for {!Deadlock}.

    A thread that reaches a fiber's resumer, or a scope around the fiber, can
    resume the fiber. The library's own references to these values are taken out
    for the question ({!Let_go}):

    - the runs' root scopes,
    - the vprocs' queues for which schedulers wait,
    - the graph of locks and of the fibers that wait for them
      ({!Dromos_sync.Author.Wait_graph}, {!Dromos_sync.Author.Lock_watch}),
    - the functions of time limits ({!Dromos_service.Timer.val-limit}).

    All other references of the library are weak. Each waiting fiber then gets a
    witness: a value, with a finaliser, that only the fiber leads to. A full
    major collection follows. A witness is finalised if its fiber was reachable
    from no global, no stack of any thread or domain, no fiber that can run, no
    timer, watched descriptor or blocking call, and no C root. The fibers
    survive: values with finalisers hold a list of the fibers, and the values
    that were taken out.

    The collector treats the values with finalisers of one domain after those of
    another domain, and values that the first domain's finalisers hold are
    marked by then. A witness leads to no other value, so the order of the
    domains makes no difference, and leftovers of earlier questions in the
    domains' tables make none either.

    {b The second collection.} One collection does not prove the case of values
    that a finaliser of the program's has made reachable again, and of values
    that only weak pointers or finalisers lead to. For a second collection every
    key of the program's ephemerons and weak arrays is a root, and every value
    with a finaliser of the program's too (also a [Gc.alarm]). (The heap variant
    does not list its ephemerons: there no fiber is found unreachable while the
    program has threads of its own.)

    {b The third collection} has the functions of time limits back, to tell
    [Unreachable] from [Until_limit]. *)

type verdict =
  | Unreachable  (** no value in use leads to any fiber of the run *)
  | Until_limit  (** only time limits lead to fibers of the run *)
  | Weakly  (** weak pointers, or values with finalisers, lead to some fibers *)
  | Reachable  (** some fibers are reachable *)
  | Woken  (** a fiber has gone on meanwhile *)

val ask : Types.run -> also:Types.run list -> verdict
(** Asks about the first run; the roots of the runs in [also] are taken out too,
    so that runs which wait for each other are found. All runs must have been
    quiet for a second, and only one thread may ask about a run at a time. One
    to three full major collections, by the calling thread. *)
