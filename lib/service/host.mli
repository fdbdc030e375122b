(** The service domain: one domain for the whole process, started on first use.
    Its systhreads wait for the clock ({!Timer}) and for system calls
    ({!Blocking}) in place of other threads, so no worker shares its runtime
    lock with a blocked thread.

    A process that never uses the service domain does not have it, and may still
    [Unix.fork]; OCaml refuses to fork once the domain is started. The domain is
    never stopped. Asleep it costs as much as any idle domain: a part in each
    minor collection. *)

val start : unit -> unit
(** Starts the domain if the domain does not run yet. If it runs, [start] is one
    atomic read.

    OCaml bounds the domains of a process ({!max_domains}). If none is left and
    the caller is on the main domain, the main domain makes the threads. On
    other domains, a domain of a lender ({!set_lender}) becomes the service
    domain soon; requests wait until then. Without a lender, [start] raises
    [Failure], with advice. *)

val thread : ?of_many:bool -> ?refused:(exn -> unit) -> (unit -> unit) -> unit
(** [thread body] runs [body ()], which must not raise, on a new systhread of
    the service domain ({!start}ed if necessary), with signals
    {!Signals.blocked}. Does not wait for the thread. Callable from any thread.

    If the system has no thread left, the domain tries again every 10 ms until
    there is one. [of_many] marks threads that serve a purpose in large numbers;
    they come after all others. [refused] is called with the system's first
    answer, on the domain's main thread; [refused] must neither block nor raise.
*)

val thread_for_all : what:string -> (unit -> unit) -> unit
(** {!thread}, for a thread on which the whole process depends: the timer's. If
    the body raises, the exception is reported as one of [what], and the body is
    called again. *)

val on_thread_for_all : unit -> bool
(** [true] if the caller is on such a thread. The caller must then not wait or
    compute for long. Some nanoseconds. *)

val is_service_thread : unit -> bool
(** [true] on each thread of the service domain, also on the threads of blocking
    calls. Some nanoseconds. *)

val report : exn -> Printexc.raw_backtrace -> unit
(** Ends a new thread with the exception, so that the exception is reported like
    any thread's uncaught exception ([Thread.set_uncaught_exception_handler]).
*)

val advise : string -> unit
(** {!Message.tell}s an advice, on a new thread if there is one: a slow reader
    of stderr must not delay the caller, for example the timer's thread. *)

(** {1 When no domain is left} *)

val max_domains : unit -> int
(** The number of domains that OCaml allows at a time in this process: 128, or
    the number in [OCAMLRUNPARAM=d=..]. *)

val set_lender : (unit -> bool) -> unit
(** [set_lender lend]: the owner of a set of domains promises that, if [lend ()]
    is [true], each of the domains soon calls {!is_wanted}. [lend] runs with the
    host's lock held. One lender per process. *)

val is_wanted : unit -> bool
(** [true] if a domain of the lender should become the service domain. One
    atomic read. *)

val claim : unit -> bool
(** [true] for exactly one domain of the lender: its main thread must then call
    {!serve}. *)

val serve : unit -> unit
(** Serves as the service domain; never returns. *)
