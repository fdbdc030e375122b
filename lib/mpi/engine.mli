(** The thread that waits for MPI, for all tasks of the process. Internal.

    One systhread of the service domain looks at all pending operations and all
    awaited messages. The thread looks continuously while events are frequent,
    and sleeps up to 10 ms between looks while events are rare. Without pending
    operations the thread sleeps until a task wakes the thread.

    If a task is cancelled, or chooses another event, while the thread takes a
    message for the task, the thread keeps the message for the next matching
    task: no message is lost, and messages of one sender stay in order. *)

type pattern = { comm : Raw.comm; from : int; tag : int }
(** [from] is -1 for any rank. *)

val start : one_thread:bool -> unit
(** Starts the thread, once; the thread begins MPI, and [start] waits for the
    result. The thread makes all calls if [one_thread], or if MPI allows only
    one calling thread. Raises the exceptions of {!Raw.init}. *)

val stop : unit -> unit
(** Ends MPI and the thread. No operation may be pending. *)

val call : (unit -> 'a) -> 'a
(** Runs non-blocking calls of {!Raw}: on the caller's thread if MPI allows any
    thread, else on the engine's thread. *)

val leave : Raw.comm -> unit
(** Before a communicator is freed: raises [Invalid_argument] if a task waits
    for a message of the communicator. From here on the thread receives no
    message of the communicator, and drops its kept messages, since MPI gives
    the number to another communicator. *)

val attempt : (unit -> 'a) -> 'a Dromos_sync.Author.Waiter.outcome
(** The value of the function, or its exception with the backtrace. *)

val finished : reason:string -> Raw.op -> unit
(** Waits, shielded, until a started operation is over. The task first looks
    itself ({!Look}). *)

val over : Raw.op -> (unit -> unit) -> unit
(** The thread calls the function after the end of the operation. The function
    must neither wait nor raise. Lock-free. *)

val source : reason:string -> pattern -> Raw.op Dromos_sync.Author.Waiter.source
(** Takes the first message that matches. Tasks with equal patterns are served
    in order. *)

val wait : ?timeout:float -> reason:string -> pattern -> Raw.op
(** The operation {!source}; the task looks for a message itself at first
    ({!Look}). Raises [Event.Timeout]. *)

val pending : unit -> int
(** The number of operations given to {!over} or {!finished} that are not over.
*)

val probe : pattern -> (int * int) option
(** The source and the number of bytes of the first message that matches. The
    message stays. *)
