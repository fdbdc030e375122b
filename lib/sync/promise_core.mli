(** {!Dromos_sync.Promise} with the operations for authors.

    @canonical Dromos_sync.Author.Promise *)

include Promise_intf.S

val create_for : reason:string -> unit -> 'a t
(** {!create}, for schedulers: a task that awaits the promise waits on [reason],
    in reports. *)

val on_demand : 'a t -> (unit -> unit) -> unit
(** [on_demand t start], for schedulers: a task that is about to wait for the
    promise calls [start], until {!no_demand}. A task that has not started can
    thus be run by the task that needs its result. If [start] resolves the
    promise, the caller does not wait; [start] may also do nothing. Call
    [on_demand] before the promise is shared. *)

val no_demand : 'a t -> unit
(** Forgets [start] and everything reachable from [start]. A call of [start] may
    be under way. *)
