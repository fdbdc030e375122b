(** {!Dromos_sync.Mutex} with the operations for authors.

    @canonical Dromos_sync.Author.Mutex *)

include Mutex_intf.S

val owner : t -> Owner.t option
(** The holder of the mutex, for a scheduler that wants to run the holder first.
    A snapshot. Also [None] after the mutex was given to a waiter and before the
    waiter has run, and where the holder has no identity. *)

(** {1 For structures} *)

val relock : shielded:bool -> t -> unit
(** {!lock}, without the test that the caller holds the mutex. [shielded] is for
    a task that has been cancelled and must have the mutex nevertheless
    ({!Condition}): the wait is not cancellable, where the scheduler handles
    {!Dromos_suspend.Shielded}. *)
