(** The process-wide set of domains, and who borrows them. Internal; the
    accounts are kept by {!Roster}.

    A run starts with its caller alone; its other roles are {e vacant}, which
    keeps the run's signal up, so that the first fork or task is published and
    {!request}s a worker. A borrowed domain serves one role of one run until the
    run is over, until it is asked to leave, or until it has rested for 0.1 to
    0.2 seconds; then it parks, and after 50 ms it ends (unless a run
    [keeps_domains]). That is short because idle domains still take part in
    minor collections (a parked one makes a fork-heavy run of the others up to
    1.5 times slower), and spawning one again takes a fraction of a millisecond.
    What was forked while it was no longer idle, and not yet vacant, nobody has
    published: so when it has left it asks for that.

    {b Bound}: callers and borrowed domains that run at the same time are never
    more than the largest [~workers] of the active runs, or than the callers if
    these are more. The domain of a standing run ([Dromos.Runtime]) is not
    counted among them. A domain that has to give way does so between two tasks.
    The bound itself gives way to roles with tasks that no other role may run
    (those of a vproc's queue): else runs could wait for each other's domains
    for ever. *)

val enter : Fiber.run -> asked:int -> unit
(** The run becomes active, with its caller as worker 0. *)

val leave : Fiber.run -> unit
(** The run is over. *)

val request : Fiber.run -> unit
(** Fills a vacant role, as far as the bound allows; what it refuses is offered
    again when a domain comes back. From anywhere. *)

val serve_once : Fiber.worker -> until:(unit -> bool) -> unit
(** The calling thread serves in a role; leaves nothing behind in it. *)

val rest : Fiber.worker -> unit
(** What a worker does before it sleeps: has fibers that compute without forking
    publish a frame, and their workers a task of a private deque. *)

val look_around : Fiber.worker -> unit
(** The same by a worker that does not rest: see {!Turns}. *)

val domains : unit -> int
(** Domains alive in the set; callers are not counted. *)
