(** Waiting where no effect can reach the handler: on a thread that is no
    worker, or in a fiber under a C frame. Internal; installed with
    {!Dromos_suspend.set_parker}.

    - A thread outside any run waits through [Domain_local_await]. If a
      scheduler provides it, only the scheduler's task blocks. Another thread of
      the scheduler's domain, which runs no task, blocks only itself.
    - A worker's thread must wait if its fiber is under a C frame. The thread
      publishes the fiber's frames, hands its role to a spare systhread of the
      domain, and blocks. After the wake-up the thread takes the role back when
      the spare is between two tasks.

    Limit: the spare's fiber may wait under a C frame too, on the same worker.
    The first fiber then gets the role back only after the second fiber has its
    role back. The second fiber must therefore not wait for an action of the
    first fiber. *)

val install : unit -> unit
