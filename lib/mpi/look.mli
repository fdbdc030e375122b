(** A task looks for its message itself for a short time, and is suspended after
    that. Internal.

    A wake-up by the engine's thread takes tens of microseconds; a message of a
    rank of the same machine takes less than one. The task looks for .2 ms plus
    twice the recent length of waits of the same kind, for half a millisecond at
    most. After longer waits the task does not look at all. Between looks a
    fiber yields to the other fibers of its worker. A task of another scheduler
    does not look, since other tasks need its thread. *)

type kind
(** The recent length of one kind of wait. Waiters write the record without
    synchronisation: a lost update makes one look longer or shorter. *)

val kind : int -> kind
(** The kind with this number, modulo 64. *)

val wait : kind -> ?most:float -> (unit -> 'a option) -> (unit -> 'a) -> 'a
(** [wait kind ask suspend]: the first value of [ask], or the result of
    [suspend] if the time for looking ends before. [ask] neither waits nor
    raises. [most] limits the time for looking, in seconds. Each look is a
    cancellation point of a fiber that is not protected. *)

val refuse_here : unit -> unit
(** Threads of the calling domain do not look after this call. *)
