(** The thread that waits for MPI, for all tasks of the process. Internal.

    One systhread of the service domain looks at all operations that are under
    way and at all messages that are waited for. It looks again and again while
    something comes often, then sleeps between looks, up to 5 ms; while there is
    nothing to look for it sleeps until it is asked.

    A message that was taken for a task which was cancelled meanwhile, or chose
    another event, is kept for the next task that asks for its like: none is
    lost, and the order of one sender's messages holds. *)

type pattern = { comm : Raw.comm; from : int; tag : int }
(** [from] is -1 for any rank. *)

val start : one_thread:bool -> unit
(** Starts the thread, once, which begins MPI; waits for that. If [one_thread],
    or MPI does not allow calls of any thread, that thread makes all calls.
    Raises what {!Raw.init} raises. *)

val stop : unit -> unit
(** Ends MPI and the thread. No operation may be under way. *)

val call : (unit -> 'a) -> 'a
(** Runs calls of {!Raw} that do not block on a thread that may make them: the
    caller's, or the one thread. *)

val finished : reason:string -> Raw.op -> unit
(** Waits, shielded, until an operation that was started is over. *)

val over : Raw.op -> (unit -> unit) -> unit
(** Has the function called on the thread when the operation is over. It must
    neither wait nor raise. Lock-free. *)

val source : reason:string -> pattern -> Raw.op Dromos_sync.Waiter.source
(** Takes the first message that matches. Tasks with equal patterns are served
    in order. *)

val try_take : pattern -> Raw.op
(** A message that is there and that no task waits for, or {!Raw.none}; always
    {!Raw.none} in the mode of one thread. *)

val is_idle : unit -> bool
(** No operation given to {!over} or {!finished} is under way. *)

val probe : pattern -> (int * int) option
(** Source and bytes of the first message that matches, which stays. *)
