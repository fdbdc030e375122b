(** The process-wide domain pool: runs borrow their workers' domains from the
    pool. Internal; {!Roster} keeps the books.

    A run starts with its caller alone. The run's other roles are {e vacant};
    vacant roles raise the run's signal, so that the first fork or task is
    published and {!request}s a worker. A borrowed domain serves a role of a run
    until

    - the run is over,
    - the domain is asked to leave, or
    - the domain has found no work for 0.1 to 0.2 seconds.

    The domain then parks, and ends after 50 ms unless a run [keeps_domains].
    The times are short because idle domains still take part in minor
    collections (a parked domain makes a fork-heavy run of the others up to 1.5
    times slower), and spawning a domain again takes a fraction of a
    millisecond. Branches that were forked after the domain stopped being idle,
    and before its role was vacant, are still unpublished. A domain that has
    left therefore asks the other workers to publish.

    {b Bound.} The number of callers and borrowed domains that run at the same
    time is at most the largest [~workers] of the active runs, or the number of
    callers if that is larger. The domain of a standing run ([Dromos.Runtime])
    does not count. A domain that has to give way leaves between two tasks.
    Roles with tasks that no other role may run (the tasks of a vproc's queue)
    are filled beyond the bound: otherwise runs could wait for each other's
    domains for ever. *)

val enter : Types.run -> asked:int -> unit
(** The run becomes active, with its caller as worker 0. *)

val leave : Types.run -> unit
(** The run is over. *)

val request : Types.run -> unit
(** Fills a vacant role, if the bound allows. A refused request is met when a
    domain comes back. Any thread may call [request]. *)

val serve_once : Types.worker -> until:(unit -> bool) -> unit
(** Serves in a role with the calling thread, and afterwards removes the
    thread's records. *)

val rest : Types.worker -> unit
(** Called by a worker before the worker sleeps: asks fibers that compute
    without forking to publish a frame, and their workers to publish a task of a
    private deque. *)

val look_around : Types.worker -> unit
(** Asks as [rest] does, for a worker that does not rest: see {!Turns}. *)

val domains : unit -> int
(** The number of living domains of the pool, without callers. *)
