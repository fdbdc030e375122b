(** A task looks for its message itself for a short time before the task is
    suspended. Internal.

    A wake-up by the engine's thread takes tens of microseconds; a message of a
    rank of the same machine takes less than one. The task looks for .2 ms and
    twice the time that waits of the same kind took lately, for half a
    millisecond at most, and not at all after waits that took longer. Between
    looks a fiber yields to the other fibers of its worker. A task of another
    scheduler does not look, since other tasks need its thread. *)

type kind
(** What is known of one kind of wait. Waiters write it without synchronisation:
    a lost update makes one look longer or shorter. *)

val kind : int -> kind
(** The kind with this number; equal modulo 64 is the same. *)

val wait : kind -> ?most:float -> (unit -> 'a option) -> (unit -> 'a) -> 'a
(** [wait kind ask suspend]: the first value that [ask] has, or the result of
    [suspend] where looking has ended without one. [ask] neither waits nor
    raises. [most] limits the time of looking, in seconds. Looking is a
    cancellation point of a fiber that is not protected. *)

val refuse_here : unit -> unit
(** Threads of the calling domain do not look from here on. *)
