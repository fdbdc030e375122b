(** Dromos's structures in Domainslib tasks.

    Inside {!wrap} whatever waits through {!Dromos_suspend} suspends the calling
    Domainslib task alone, and its domain takes other tasks of the pool. It is
    woken from any domain, systhread or scheduler.

    Domainslib knows no cancellation: a task waits until it is woken.

    Every task has handlers of its own: one started inside [wrap] is wrapped by
    itself. {!run} and {!async} do it; iterations of [Task.parallel_for] need a
    [wrap] where they wait.

    [Dromos.run] must not be called in a Domainslib task, whose domain it would
    block: it raises [Dromos.Misplaced].

    Tested against Domainslib 0.5.2. *)

val wrap : (unit -> 'a) -> 'a
(** [wrap f] is [f ()]. To be called in a task, that is inside [Task.run]. *)

val run : Domainslib.Task.pool -> (unit -> 'a) -> 'a
(** [Task.run pool (fun () -> wrap f)]. *)

val async : Domainslib.Task.pool -> (unit -> 'a) -> 'a Domainslib.Task.promise
(** [Task.async pool (fun () -> wrap f)]. *)
