(** The thread that runs Lwt, and the one way into it from elsewhere. Internal.

    Lwt (5 and 6) has one loop per process, and only the thread that runs it may
    touch promises. Others leave jobs in an inbox, a stack in one atomic word;
    the one who finds it empty rings, by [Lwt_unix.send_notification], which Lwt
    documents as thread-safe and which is the only call of Lwt made from
    elsewhere. The loop then takes all jobs at once, oldest first: a burst of
    jobs costs one system call. *)

type t

val run : (unit -> 'a Lwt.t) -> 'a
(** [Lwt_main.run], with the calling thread known as Lwt's meanwhile. At the end
    the jobs that are there are run, later ones refused, and those who are on
    {!watch} told. Raises {!Dromos.Misplaced} if a loop runs already. *)

val mine : string -> t
(** For calls made by Lwt code. The first such call in a program that calls
    [Lwt_main.run] itself makes the calling thread known as Lwt's. Raises
    {!Dromos.Misplaced}, naming the call, on another thread than Lwt's, and in
    tasks of a scheduler that no Lwt thread is known to. *)

val theirs : string -> t
(** For calls made from elsewhere. Raises {!Dromos.Misplaced} if Lwt runs
    nowhere. *)

val is_here : t -> bool
(** Whether the calling thread is the loop's. *)

val post : t -> (unit -> unit) -> bool
(** [false] if the loop has ended, and the job will not run. Jobs run in the
    order in which they were posted; an exception of one goes to
    [Lwt.async_exception_hook]. Lock-free, from anywhere. *)

(** {1 On the loop's thread only} *)

type watch

val watch : t -> (exn -> unit) -> watch
(** Calls back if the loop ends. *)

val watch_while_reachable : t -> 'a -> ('a -> unit) -> watch
(** [watch_while_reachable t x f] calls [f x] if the loop ends and [x] is still
    reachable: what nobody can resume any more is not kept for it. [f] must not
    lead to [x]. *)

val unwatch : t -> watch -> unit

val trace : exn -> Printexc.raw_backtrace
(** Where an exception that Lwt handed over was raised, if that is still known:
    Lwt's rejected promises hold the exception alone, but OCaml remembers the
    backtrace of the last one that was raised, and this is asked only for that
    one. Otherwise an almost empty backtrace, never a wrong one (but for
    constant exceptions like [Not_found], which are all the same one). *)
