(** Several parties on one domain: a host's loop on the domain's first thread,
    and tasks on further threads of the domain. *)

type host = (unit -> unit) -> unit
(** [host main] runs a scheduler on the calling thread. The scheduler calls
    [main] in a task, runs other tasks while [main] waits, and ends when [main]
    returns. *)

val threads : string -> host -> Party.kind
(** Each task is a systhread. *)

val runs : string -> host -> Party.kind
(** Each task is a fiber of a [Dromos.run] with one worker, on a systhread. *)
