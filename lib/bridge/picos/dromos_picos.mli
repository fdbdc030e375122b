(** Dromos beside Picos: each waits for the other. Under any Picos scheduler,
    and in Moonpool's tasks, which are Picos fibers. The interface is that of
    [Dromos_eio].

    - In a Picos fiber: {!wrap} lets it wait for any structure of [Dromos_sync];
      {!offload} has a function computed by a Dromos run.
    - In a Dromos fiber: {!in_picos} runs Picos code and waits for it.

    Picos cancels with any exception, so {!Dromos_suspend.is_cancellation} knows
    none of them: a [Lazy] whose computation is cancelled keeps that exception.

    Tested against Picos 0.6.0 (the schedulers of picos_mux). *)

(** {1 In a Picos fiber} *)

val wrap : (unit -> 'a) -> 'a
(** [wrap f] is [f ()]. In it whatever waits through {!Dromos_suspend} suspends
    the calling Picos fiber alone. It is woken from any domain, systhread or
    scheduler.

    {b Cancellation} of the fiber's computation ends the wait at once with the
    computation's exception and backtrace, and what was meant for the fiber goes
    to the next waiter; with propagation forbidden ([Fiber.forbid]) the wait is
    not disturbed.

    Every fiber has handlers of its own: one started inside [wrap] needs a
    [wrap] of its own. *)

val offload : ?pool:Dromos.Runtime.t -> (unit -> 'a) -> 'a
(** [offload f] has [f] run as a Dromos fiber, on another domain; the Picos
    fiber waits. [f] runs in a scope of its own: [offload] returns when all that
    it started is over.

    If the fiber's computation is cancelled, the scope of [f] is, and [offload]
    raises the computation's exception when [f] is over.

    To be called in a Picos fiber, with or without {!wrap}. Raises
    {!Dromos.Runtime.Stopped}. [Dromos.run] itself raises [Dromos.Misplaced] in
    a Picos fiber, whose scheduler it would block (but not in one of
    [picos_mux.thread], which is a thread). *)

val default_pool : unit -> Dromos.Runtime.t
(** The one that {!offload} uses; see [Dromos_eio.default_pool]. *)

(** {1 In a Dromos fiber} *)

val in_picos : (unit -> 'a) -> 'a
(** [in_picos f] runs [f] in a new Picos fiber, spawned by the fiber that called
    the {!offload} of the caller, and waits for it; or, anywhere, by that of
    {!with_loop}. If the caller is cancelled, so is the Picos fiber's
    computation, and [in_picos] raises when that fiber has ended.

    Raises [Dromos.Misplaced] elsewhere, and after the end of the [offload]. *)

val with_loop : ((unit -> unit) -> unit) -> (unit -> 'a) -> 'a
(** [with_loop run f] is [f ()], while [run] runs Picos on a domain of its own,
    as [Picos_mux_fifo.run] does. Raises [Dromos.Misplaced] while another
    [with_loop] goes on. *)
