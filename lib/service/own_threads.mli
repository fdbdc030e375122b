(** Tells Dromos's own threads from the other threads of the process. The other
    threads may act without the knowledge of any scheduler here. Internal.

    The threads made by Dromos are named ["dromos"] (in [top -H], in debuggers),
    and so are the threads made by them: a thread inherits its maker's name. *)

val making : (unit -> 'a) -> 'a
(** [making f]: the threads and domains made in [f] are Dromos's own. Three
    system calls. *)

val finally : (unit -> 'a) -> (unit -> unit) -> 'a
(** [finally f restore] is [Fun.protect f ~finally:restore], except that an
    exception of [restore] is raised as it is. *)

val self : unit -> int
(** The system's number of the calling thread; -1 where threads have no numbers.
*)

val is_self : unit -> bool
(** [true]: the calling thread is Dromos's own, or was made by a task on such a
    thread. One system call. [false] where threads have no names. *)

val others : besides:int list -> bool
(** [others ~besides] is [true] if the process has a thread that is neither
    Dromos's own nor in [besides]. A thread made by the runtime for the
    program's threads counts; a thread made by a task on a domain of Dromos does
    not. Where the system does not list threads ({!Platform.threads}) the result
    is [true], since there may be one. Some microseconds per thread. *)
