(** The service domain: one domain for the whole process, started on first use,
    whose systhreads wait for others: for the clock ({!Timer}), in system calls
    ({!Blocking}). So no worker shares its runtime lock with a blocked thread.

    A process that never uses it has no domain more, and may still [Unix.fork];
    once it is started OCaml refuses that. It is never stopped: asleep it costs
    what any idle domain costs, a part in each minor collection. *)

val start : unit -> unit
(** Starts the domain if it does not run yet; one atomic read if it does.

    OCaml bounds the domains of a process ({!max_domains}). If none is left, the
    threads are made in the main domain where the caller runs on it; elsewhere a
    domain of a lender ({!set_lender}) becomes the service domain soon, and what
    was asked of it waits until then. Raises [Failure], with what to do, if
    there is no lender either. *)

val thread : ?of_many:bool -> ?refused:(exn -> unit) -> (unit -> unit) -> unit
(** [thread body] has [body ()], which must not raise, run on a systhread of its
    own in the service domain ({!start}ed if need be), with signals
    {!Signals.blocked}. Does not wait for the thread. From anywhere.

    Where the system has no thread left, the domain tries again every 10 ms
    until there is one; threads that are [of_many] for the same purpose come
    after all others. [refused] is called with the system's first answer, on the
    domain's main thread; it must neither block nor raise. *)

val thread_for_all : (unit -> unit) -> unit
(** {!thread}, for a thread that the whole process counts on: the timer's. *)

val on_thread_for_all : unit -> bool
(** Whether the caller is on such a thread: it must not wait, nor compute for
    long. Some nanoseconds. *)

val report : exn -> Printexc.raw_backtrace -> unit
(** Has a thread of its own end with the exception, so that it is told like any
    thread's uncaught one ([Thread.set_uncaught_exception_handler]). *)

val advise : string -> unit
(** {!Message.tell}s an advice on a thread of its own, if there is one: a reader
    of stderr that is slow does not hold up the caller, as the timer's thread.
*)

(** {1 When no domain is left} *)

val max_domains : unit -> int
(** How many domains OCaml allows at a time in this process: 128, or what
    [OCAMLRUNPARAM=d=..] says. *)

val set_lender : (unit -> bool) -> unit
(** [set_lender lend]: the owner of a set of domains promises that after
    [lend ()], if that is [true], each of them looks at {!is_wanted} soon.
    [lend] runs with the host's lock held. One for a process. *)

val is_wanted : unit -> bool
(** Whether a domain of the lender's is to become the service domain. One atomic
    read. *)

val claim : unit -> bool
(** [true] for the one domain whose main thread is to call {!serve}. *)

val serve : unit -> unit
(** Serves as the service domain; never returns. *)
