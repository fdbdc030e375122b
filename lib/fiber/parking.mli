(** Waiting where no effect can reach the handler: in a thread that is no
    worker, or in a fiber under a C frame. Internal; installs itself as
    {!Dromos_suspend.set_parker}'s parker.

    A thread outside any run waits through [Domain_local_await], so a scheduler
    that provides it blocks only its own task. Another thread of such a
    scheduler's domain, which runs no task, blocks itself only. A worker's
    thread that must wait (the fiber is under a C frame) publishes the fiber's
    frames and hands its role to a spare systhread of its domain until it is
    woken; it takes the role back when the spare is between two tasks.

    Limit: if the spare's fiber waits under a C frame too, on the same worker,
    the first fiber gets the role back only after the second, so the second must
    not wait for something that only the first will do. *)

val install : unit -> unit
