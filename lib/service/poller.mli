(** Waiting for descriptors without a thread for each: one thread of the service
    domain ({!Host}) asks the system about all descriptors, by [epoll] on Linux
    and by [poll] elsewhere (or with [DROMOS_POLLER=poll]). Descriptors may have
    any number.

    A watch is told once. With [epoll] a watch costs one system call to set (two
    if the descriptor is watched already) and none to take back, and the
    system's cost does not depend on the number of watches. [poll] looks at all
    watched descriptors each time.

    {b Closed descriptors.} {!close} tells the watches of the descriptor. A
    descriptor closed in another way ([Unix.close]) is silently forgotten by
    epoll, and by a [poll] that has begun. Once a second the thread therefore
    looks at up to a thousand watched descriptors, and finds those that are no
    longer open, or are now another file: epoll knows no file of the number;
    with [poll] the watches remember the file. A new watch on the number of a
    closed descriptor finds the change too. A number that was closed may now
    belong to the poller itself: such a number counts as closed.

    All functions are lock-free and callable from any domain, systhread, signal
    handler or callback.

    Checked: dscheck in test/service/poller_model (no watch is lost or told
    twice, while other watches come, leave, are told and change their file; with
    seeded bugs). Tested: test/front (Dromos.Io, by [epoll] and by [poll]),
    test/service (numbers above 1024). *)

type interest = Watches.interest = Read | Write

type outcome = Watches.outcome =
  | Ready  (** an operation would not block, or would fail: try it *)
  | Closed
      (** the descriptor is not open, or its number is another file's now *)
  | Failed of Unix.error  (** the system refuses to watch the descriptor *)

type answer = Watches.answer =
  | Over
  | Again  (** the watch goes on; an answer to {!Ready} only *)

type watch

val watch : unit -> watch
(** A watch that does not watch a descriptor yet. *)

val start : unit -> unit
(** Starts the poller's thread; one atomic read if the thread runs. To be called
    before {!set}. Raises what {!Host.start} raises, and [Unix.Unix_error] where
    no descriptor is left. *)

val set : watch -> Unix.file_descr -> interest -> (outcome -> answer) -> unit
(** [set w fd interest f], once per watch, has [f] called with the outcome, by
    the poller's thread, by a caller of this module, or during [set]. [f] must
    neither block nor raise. Regular files, directories and other descriptors
    that cannot be watched are ready at once. When a descriptor is ready, all
    its watches are told, in order of arrival. No effect if the watch was left.
*)

val leave : watch -> unit
(** An outcome that comes afterwards does not call the function; a call may be
    under way. O(1), idempotent. *)

val now : Unix.file_descr -> interest -> outcome option
(** [now fd interest] is [Ready] or [Closed] if this holds now. One system call.
*)

val close : Unix.file_descr -> unit
(** [Unix.close], and tells the watches of the descriptor. Raises [EBADF] for a
    descriptor of the poller, whose number the caller closed earlier. *)

val number : Unix.file_descr -> int

val pending : unit -> int
(** The number of watches that may still be told. One atomic read. *)
