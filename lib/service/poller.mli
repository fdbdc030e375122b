(** Waiting for descriptors without a thread each: one thread of the service
    domain ({!Host}) asks the system about all of them, by [epoll] on Linux and
    by [poll] elsewhere (or with [DROMOS_POLLER=poll]). Descriptors may have any
    number.

    A watch is told once. Where there is an [epoll] it costs one system call to
    set (two if the descriptor is watched already) and none to take back, and
    the system's cost does not depend on how many others are watched; [poll]
    looks at all of them each time.

    {b Closed descriptors.} {!close} tells those who watch the descriptor. If it
    is closed otherwise ([Unix.close]), epoll forgets it silently: so the thread
    looks once a second, at up to a thousand descriptors each time, whether
    those watched are still open and still the same file; and whoever watches a
    descriptor that has taken the number finds that out too. [poll] notices one
    that is closed at once if it is not open anew.

    Everything here is lock-free and callable from anywhere: any domain,
    systhread, signal handler or callback.

    Checked: dscheck in test/service/poller_model (no watch is lost, nor told
    twice, while others come, leave, are told and change their file; with seeded
    bugs). Tested: test/front (Dromos.Io, by [epoll] and by [poll]),
    test/service (numbers above 1024). *)

type interest = Watches.interest = Read | Write

type outcome = Watches.outcome =
  | Ready  (** an operation would not block, or would fail: to be tried *)
  | Closed  (** it is not open, or the number is another file's now *)
  | Failed of Unix.error  (** the system refuses to watch it *)

type answer = Watches.answer =
  | Over
  | Again  (** the watch goes on; to {!Ready} only *)

type watch

val watch : unit -> watch
(** One that watches nothing yet. *)

val start : unit -> unit
(** Starts the poller's thread; one atomic read if there is one. To be called
    before {!set}. Raises what {!Host.start} does, and [Unix.Unix_error] where
    no descriptor is left. *)

val set : watch -> Unix.file_descr -> interest -> (outcome -> answer) -> unit
(** Once for each watch: has the function called with what comes, by the
    poller's thread, by a caller of this module, or in this very call. It must
    neither block nor raise. Regular files, directories and what else cannot be
    watched are ready at once. All who watch a descriptor are told when it is
    ready, in the order in which they came. Nothing if the watch was left. *)

val leave : watch -> unit
(** The function will not be called by what comes after this; it may be running.
    O(1), idempotent. *)

val now : Unix.file_descr -> interest -> outcome option
(** Whether it is [Ready] or [Closed] now. One system call. *)

val close : Unix.file_descr -> unit
(** [Unix.close], and tells those who watch the descriptor. *)

val number : Unix.file_descr -> int

val pending : unit -> int
(** Watches that may still be told. One atomic read. *)
