(** Dromos beside Miou: tasks of either wait for the other. The interface is
    [Dromos_eio]'s, without [with_loop]: Miou runs on a program's first domain
    only.

    - In a Miou task: {!wrap} makes every structure of [Dromos_sync] suspend the
      task; {!offload} has a function computed by a Dromos run.
    - In a Dromos fiber: {!in_miou} runs Miou code and waits for the result.

    {b SIGPIPE.} A thread that wakes a task may write to Miou's pipe after
    [Miou_unix.run] has closed the pipe: a program that uses Miou and other
    domains has to ignore the signal, [Sys.(set_signal sigpipe Signal_ignore)].

    Tested against Miou 0.7.0. *)

(** {1 In a Miou task} *)

val wrap : (unit -> 'a) -> 'a
(** [wrap f] is [f ()]. Inside [f], waiting for a structure of [Dromos_sync]
    suspends the calling task alone. Any other domain may wake the task; a
    systhread of the task's own domain may not, since Miou would take the
    systhread for a task of that domain.

    {b A wait without [wrap] ends Miou}: Miou performs effects that it does not
    know on its own loop, which then ends with [Effect.Unhandled].

    {b Cancellation} ([Miou.cancel]) ends the wait at once; a lock or a message
    that was meant for the task goes to the next waiter. Miou drops a cancelled
    task at the task's next effect, with all clean-up code that is left, so that
    code cannot wait. A wait of Dromos's structures raises the cancellation
    again there, and the rest of the clean-up code runs.

    Every task has handlers of its own: a task started inside [wrap] needs a
    [wrap] of its own. To a mutex, each call of [wrap] is another owner. *)

val offload : ?pool:Dromos.Runtime.t -> (unit -> 'a) -> 'a
(** [offload f] has [f] run as a Dromos fiber, on another domain; the calling
    task waits. [f] runs in a scope of its own, and [offload] returns when all
    tasks of the scope are over.

    Cancelling the task cancels the scope, and [offload] leaves at once: [f] may
    then still clean up. [Miou.cancel] does not wait for a task that is just
    being woken by another domain, and Miou drops the task if [Miou_unix.run] is
    over before its turn: [f] then runs on.

    Callers are Miou tasks, inside {!wrap} or not. Raises
    {!Dromos.Runtime.Stopped}. [Dromos.run] raises [Dromos.Misplaced] in a task,
    since the run would block the task's domain. *)

val default_pool : unit -> Dromos.Runtime.t
(** The runtime used by {!offload}; see [Dromos_eio.default_pool]. *)

(** {1 In a Dromos fiber} *)

val in_miou : (unit -> 'a) -> 'a
(** [in_miou f] runs [f] as a child ([Miou.async]) of the task that called the
    caller's {!offload}, and waits for the result. Cancelling the caller cancels
    the child. Raises [Dromos.Misplaced] elsewhere, and after the end of the
    [offload]. *)
