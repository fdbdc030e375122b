(** Several parties on one domain: a host's loop on the domain's first thread,
    and tasks on other threads of the domain. *)

type host = (unit -> unit) -> unit
(** [host main] runs a scheduler, which calls [main] in a task, goes on with
    other tasks while that waits, and ends when it returns. On the calling
    thread. *)

val threads : string -> host -> Party.kind
(** Each task is a systhread. *)

val runs : string -> host -> Party.kind
(** Each task is a fiber of a [Dromos.run] with one worker, on one systhread. *)
