(** The domain that runs Async, and the one way into it from elsewhere.
    Internal.

    What Async calls thread-safe ([Thread_safe], [In_thread]) is safe among the
    systhreads of one domain: its lock and its queues are plain fields, and
    count on the master lock, of which OCaml 5 has one per domain. So other
    domains must not call even that. They leave jobs in an inbox, a stack in one
    atomic word; the one who finds it empty writes a byte to a pipe that Async
    watches. Async then takes all jobs at once, oldest first: a burst of jobs
    costs one system call, and nothing of Async's is touched from elsewhere. *)

type t

val start : unit -> unit
(** See {!Dromos_async.start}. *)

val mine : string -> t
(** For calls made by Async code. The first makes the calling domain known as
    Async's. Raises {!Dromos.Misplaced}, naming the call, in a thread that does
    not hold Async's lock, and in another domain than the one known. *)

val theirs : string -> t
(** For calls made from elsewhere. Raises {!Dromos.Misplaced} if Async is not
    known to run, and in a thread that holds Async's lock. *)

val post : t -> (unit -> unit) -> unit
(** Jobs run in Async's main context, in the order in which they were posted; an
    exception of one goes to Async's main monitor. Lock-free, from anywhere. *)
