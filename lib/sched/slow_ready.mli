(** Calls [ready] functions of schedulers on the threads that the whole process
    needs ({!Dromos_service.Host.on_thread_for_all}): the timer's thread and the
    poller's. Internal.

    A [ready] that computes on such a thread delays every timer. [call] measures
    the time there, and remembers the name of a scheduler whose [ready] took
    longer than a millisecond. From then on a separate thread calls the [ready]
    functions of the name, one at a time, in the order of the calls. A timer may
    still wait for the separate thread to give up the service domain, 50 ms at
    most. On all other threads [call] calls the function directly. *)

val call : name:string -> ('a -> unit) -> 'a -> unit
(** [call ~name give fiber] is [give fiber], called now or soon. [give] must not
    raise or wait. *)
