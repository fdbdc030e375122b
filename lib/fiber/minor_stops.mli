(** How long minor collections hold up the domains. Internal; programs read it
    in [Dromos.stats] and [Dromos.dump].

    The time is the sum of two parts. The runtime calls two hooks in each minor
    collection, on each domain: when all domains have come and the domain begins
    to copy, and when the domain has copied. A collection counts from the first
    beginning to the last end. No hook tells of the time before: a domain whose
    minor heap is full waits for the others, or asks in vain because another one
    has not left the last collection. A thread in C, the {e sampler}, looks
    every 5 ms whether some domain is in that state, and counts the time since
    it last looked if so. The sampler sleeps where no collection came for 0.1 s.

    {b Cost}: two reads of the clock and two locks for a domain and collection,
    and 200 looks a second, together less than a thousandth of the time.

    {b Error}: the first part is exact to the microsecond. The second has the
    error of its samples, some [1 / sqrt n] of itself for n of them: a run of
    less than half a second may have a figure that is wrong by a half. Waits for
    a collection that the program asks for ([Gc.minor]) are not seen.

    Of a process: collections are counted whichever domain asked for them. With
    the runtime of dromos-heap no domain stops the others, and all is 0. *)

type mark
(** A moment. *)

val never : mark
(** The beginning of the process; of no run. *)

val mark : unit -> mark
(** Now. The first call installs the hooks, in front of those that the program
    has installed. *)

val watch : unit -> unit
(** Starts the sampler, once for the process: by who makes a domain for runs.
    Where the system has no thread left the waits are not counted, until a later
    call succeeds. *)

type figures = {
  collections : int;  (** minor collections *)
  stopped : float;
      (** seconds of these, and of waits for them, at most [elapsed] *)
  elapsed : float;  (** seconds in all *)
}

val since : mark -> figures

val heavy : figures -> bool
(** More than a fifth of the time, in ten collections or more. *)

val advice : figures -> string option
(** One sentence for people if {!heavy}: the share, and the ways out. *)
