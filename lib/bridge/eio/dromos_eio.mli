(** Dromos's structures in Eio fibers.

    Inside {!wrap} whatever waits through {!Dromos_suspend} (promises, mutexes,
    channels of [Dromos_sync], and so the tasks of a Dromos run elsewhere)
    suspends the calling Eio fiber alone; the domain's other fibers go on. It is
    woken from any domain, systhread or scheduler.

    {b Cancellation} of the fiber ([Switch.fail], [Fiber.first], ...) ends the
    wait at once with Eio's [Cancelled], and what was meant for the fiber goes
    to the next waiter; a wait in [Cancel.protect] is not disturbed. A fiber
    that has been resumed already keeps what it was given, and notices at its
    next Eio operation.

    {b Fibers started inside} ([Fiber.fork], [Fiber.both], ...) have handlers of
    their own: start them with {!fork}, or call [wrap] in each. In a fiber
    without it waiting may work too, through [Domain_local_await], which Eio
    provides and the library [dromos] uses, but all such fibers of a domain look
    like one owner to a [Mutex].

    [Dromos.run] must not be called in an Eio fiber, whose loop it would block:
    it raises [Dromos.Misplaced]. Call it on a domain of its own
    ([Eio.Domain_manager.run]), or have one run for the whole program and send
    it work through a channel or [Dromos.Scope.async].

    Tested against Eio 1.5 (eio_posix). *)

val wrap : (unit -> 'a) -> 'a
(** [wrap f] is [f ()]. To be called in an Eio fiber. *)

val fork : sw:Eio.Switch.t -> (unit -> unit) -> unit
(** [Eio.Fiber.fork ~sw (fun () -> wrap f)]. *)
