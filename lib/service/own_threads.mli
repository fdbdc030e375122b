(** Which threads of the process are Dromos's own, and whether there are others,
    which may do something that no scheduler here knows of. Internal.

    The threads that Dromos makes are called ["dromos"] (in [top -H], in
    debuggers), and so are the threads that they make: a thread has its maker's
    name. *)

val making : (unit -> 'a) -> 'a
(** Threads and domains that the function makes are Dromos's own. Three system
    calls. *)

val finally : (unit -> 'a) -> (unit -> unit) -> 'a
(** [finally f restore] is [Fun.protect f ~finally:restore], but an exception of
    [restore] comes out as itself. *)

val self : unit -> int
(** The calling thread, by the system's number; -1 where threads have none. *)

val others : besides:int list -> bool
(** Whether the process has a thread that is neither Dromos's own nor listed. A
    thread that the runtime made for the program's threads counts; a thread that
    a task makes on a domain of Dromos does not. [true] where the system does
    not tell ({!Platform.threads}), since there may be one. Some microseconds
    for each thread. *)
