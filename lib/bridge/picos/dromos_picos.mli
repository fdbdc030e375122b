(** Dromos's structures in Picos fibers, under any Picos scheduler.

    Inside {!wrap} whatever waits through {!Dromos_suspend} suspends the calling
    Picos fiber alone. It is woken from any domain, systhread or scheduler.

    {b Cancellation} of the fiber's computation ends the wait at once with the
    computation's exception and backtrace, and what was meant for the fiber goes
    to the next waiter; with propagation forbidden ([Fiber.forbid]) the wait is
    not disturbed.

    Picos cancels with any exception, so {!Dromos_suspend.is_cancellation} knows
    none of them: a [Lazy] whose computation is cancelled keeps that exception.

    Every fiber has handlers of its own: one started inside [wrap] needs a
    [wrap] of its own.

    Tested against Picos 0.6.0 (the schedulers of picos_mux). *)

val wrap : (unit -> 'a) -> 'a
(** [wrap f] is [f ()]. To be called in a Picos fiber. *)
