(** The thread that runs Lwt, and the only way into Lwt from other threads.
    Internal.

    Lwt (5 and 6) has one loop per process, and only the loop's thread may touch
    promises. Other threads post jobs to an inbox, a stack in one atomic word. A
    poster that finds the inbox empty rings by [Lwt_unix.send_notification]. Lwt
    documents [send_notification] as thread-safe, and it is the only function of
    Lwt called by other threads. The loop then takes all jobs at once, oldest
    first: a burst of jobs costs one system call. *)

type t

val run : (unit -> 'a Lwt.t) -> 'a
(** [Lwt_main.run], with the calling thread registered as Lwt's. At the end of
    the loop, the jobs in the inbox run, later jobs are refused, and the
    watchers are called ({!watch}). Raises {!Dromos.Misplaced} if a loop runs
    already. *)

val mine : string -> t
(** The loop, for calls made in Lwt code. If the program calls [Lwt_main.run]
    itself, the first call registers the calling thread as Lwt's. Raises
    {!Dromos.Misplaced}, with the name of the call, on any thread except Lwt's,
    and in tasks of a scheduler while no thread is registered. *)

val theirs : string -> t
(** The loop, for calls made outside Lwt. Raises {!Dromos.Misplaced} if no Lwt
    loop runs. *)

val is_here : t -> bool
(** True if the calling thread is the loop's. *)

val post : t -> (unit -> unit) -> bool
(** Posts a job. [false] if the loop has ended: the job will not run. Jobs run
    in the order of posting; an exception of a job goes to
    [Lwt.async_exception_hook]. Lock-free; callable from any thread. *)

(** {1 On the loop's thread only} *)

type watch

val watch : t -> (exn -> unit) -> watch
(** Calls the function if the loop ends. *)

val watch_while_reachable : t -> 'a -> ('a -> unit) -> watch
(** [watch_while_reachable t x f] calls [f x] if the loop ends while [x] is
    still reachable. The watch itself does not keep [x] reachable: a wait that
    no thread can resume any more is garbage. [f] must not lead to [x]. *)

val unwatch : t -> watch -> unit

val trace : exn -> Printexc.raw_backtrace
(** The backtrace of an exception that Lwt has handed over, if the backtrace is
    still known. A rejected promise of Lwt holds only the exception, but OCaml
    remembers the backtrace of the exception raised last. For any other
    exception, the backtrace is almost empty, and never wrong (except for
    constant exceptions such as [Not_found], since all occurrences are the same
    value). *)
