(** Dromos beside Miou: each waits for the other. The interface is that of
    [Dromos_eio], without its [with_loop].

    - In a Miou task: {!wrap} lets it wait for any structure of [Dromos_sync];
      {!offload} has a function computed by a Dromos run.
    - In a Dromos fiber: {!in_miou} runs Miou code and waits for it.

    {b SIGPIPE.} Who wakes a task may still write to Miou's pipe when
    [Miou_unix.run] has ended and closed that: a program that uses Miou and
    other domains has to ignore the signal,
    [Sys.(set_signal sigpipe Signal_ignore)].

    Tested against Miou 0.7.0. *)

(** {1 In a Miou task} *)

val wrap : (unit -> 'a) -> 'a
(** [wrap f] is [f ()]. In it whatever waits through {!Dromos_suspend} suspends
    the calling task alone. It is woken from any domain but its own: Miou takes
    a wake-up from another systhread of the same domain for one by a task.

    {b Without it a wait stops Miou}: Miou passes on effects that it does not
    know from its own loop, which then ends with [Effect.Unhandled].

    {b Cancellation} ([Miou.cancel]) ends the wait at once, and what was meant
    for the task goes to the next waiter. Miou ends a cancelled task at its next
    effect, so the task cannot wait again in its clean-up code.

    Every task has handlers of its own: one started inside [wrap] needs a [wrap]
    of its own. *)

val offload : ?pool:Dromos.Runtime.t -> (unit -> 'a) -> 'a
(** [offload f] has [f] run as a Dromos fiber, on another domain; the task
    waits. [f] runs in a scope of its own: [offload] returns when all that it
    started is over.

    If the task is cancelled, the scope of [f] is, and [offload] leaves at once:
    [f] may then still clean up.

    To be called in a task, with or without {!wrap}. Raises
    {!Dromos.Runtime.Stopped}. [Dromos.run] itself raises [Dromos.Misplaced] in
    a task, whose domain it would block. *)

val default_pool : unit -> Dromos.Runtime.t
(** The one that {!offload} uses; see [Dromos_eio.default_pool]. *)

(** {1 In a Dromos fiber} *)

val in_miou : (unit -> 'a) -> 'a
(** [in_miou f] runs [f] as a child ([Miou.async]) of the task that called the
    {!offload} of the caller, and waits for it. If the caller is cancelled, so
    is the child. Raises [Dromos.Misplaced] elsewhere, and after the end of the
    [offload].

    (Miou runs on the program's first domain only, so there is no [with_loop].)
*)
