(** The domain that runs Async, and the only way into Async from other domains.
    Internal.

    The functions that Async calls thread-safe ([Thread_safe], [In_thread]) are
    safe among the systhreads of one domain only: Async's lock and queues are
    plain fields and rely on the master lock, and OCaml 5 has a master lock per
    domain. Other domains therefore post jobs to an inbox, a stack in one atomic
    word. A poster that finds the inbox empty writes a byte to a pipe that Async
    watches. Async then takes all jobs at once, oldest first. A burst of jobs
    costs one system call, and no other domain touches memory of Async. *)

type t

val start : unit -> unit
(** See {!Dromos_async.start}. *)

val mine : string -> t
(** The loop, for calls made in Async code. The first call registers the calling
    domain as Async's. Raises {!Dromos.Misplaced}, with the name of the call, in
    a thread without Async's lock, and in any domain except the registered one.
*)

val theirs : string -> t
(** The loop, for calls made outside Async. Raises {!Dromos.Misplaced} if no
    running Async is known, and in a thread that holds Async's lock. *)

val post : t -> (unit -> unit) -> unit
(** Posts a job. Jobs run in Async's main context, in the order of posting; an
    exception of a job goes to Async's main monitor. Lock-free; callable from
    any thread. *)
