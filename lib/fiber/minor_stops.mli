(** The time for which minor collections hold up the domains. Internal; programs
    read the time in [Dromos.stats] and [Dromos.dump].

    The time is the sum of two parts. {e Collecting}: after all domains have
    stopped, the runtime calls a hook on each domain when the domain begins to
    copy, and another hook when the domain has copied; a collection counts from
    the first beginning to the last end. {e Waiting}: a domain with a full minor
    heap waits until the other domains stop, or requests a collection again and
    again while a late domain has not left the last collection; the runtime
    calls no hook then. A thread in C, the {e sampler}, looks every 5 ms whether
    some domain waits, and if so counts the time since the last look. After 0.1
    s without a collection the sampler sleeps until the next collection.

    {b Cost}: two reads of the clock and two locks for each domain and
    collection, and 200 looks a second, together less than a thousandth of the
    time.

    {b Error}: collecting is exact to the microsecond. Waiting has the error of
    its samples, some [1 / sqrt n] for n samples: in a run of less than half a
    second the figure may be wrong by a half. Waits for a collection requested
    by [Gc.minor] are not sampled.

    The figures are the process's, whichever domain requested a collection. With
    the runtime of dromos-heap no domain stops the others, and all figures are
    0. *)

type mark
(** A moment. *)

val never : mark
(** The mark of the run of no fiber. *)

val mark : unit -> mark
(** The present moment. The first call installs the hooks, in front of hooks
    that the program has installed. *)

val watch : unit -> unit
(** Starts the sampler, once for the process; called before a domain is spawned
    for a run. Where the system has no thread left, waiting is not counted until
    a later call succeeds. *)

type figures = {
  collections : int;  (** minor collections *)
  stopped : float;  (** seconds of collecting and waiting, at most [elapsed] *)
  elapsed : float;  (** seconds in all *)
}

val since : mark -> figures

val heavy : figures -> bool
(** [true]: collections took more than a fifth of the time, in ten collections
    or more. *)

val advice : alone:bool -> figures -> string option
(** If {!heavy}, a sentence for the user: the share, and the ways out. [alone]:
    the run has a single domain, so a collection stops no other domain, and no
    worker can be spared. *)
