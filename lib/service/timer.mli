(** The one clock and timer queue: what is to happen later happens here.

    A priority search queue by deadline in one atomic word, and one thread of
    the service domain ({!Host}), started with the first timer, which sleeps
    until the next deadline. Nothing runs, and nobody is woken, in between: a
    new timer wakes the thread only if it is due before the thread would wake
    anyhow, so that timeouts which are set and cancelled again, as most are,
    cost no system call.

    Everything here is lock-free and callable from anywhere: any domain,
    systhread, signal handler, or a timer's own callback. The clock is the
    system's monotonic one, which does not count the time a machine sleeps
    (Linux) and never jumps.

    Checked (test/service): dscheck, that the thread never sleeps past a timer
    that is set, or set and cancelled, while it goes to sleep, with seeded bugs;
    stress from domains, systhreads, signal handlers and callbacks; live words
    after a million cancelled timers.

    {[
      # let cancel =
          Dromos_service.Timer.after Mtime.Span.(1 * hour) (fun () ->
            print_endline "an hour later")
      val cancel : Dromos_service.Timer.cancel = <fun>
      # Dromos_service.Timer.pending ()
      - : int = 1
      # cancel ()
      - : unit = ()
      # Dromos_service.Timer.pending ()
      - : int = 0
    ]} *)

type cancel = unit -> unit
(** The timer is taken back: its callback will not be called by who looks after
    that; if the callback is running already, it runs on. O(log n), idempotent.
    Holds on to nothing, not even the callback. *)

val after : Mtime.Span.t -> (unit -> unit) -> cancel
(** [after span f] has [f ()] called on the timer's thread once [span] has
    passed, not before, and usually within a fraction of a millisecond after;
    timers that are due at the same instant go in the order in which they were
    set. O(log n) for n pending timers.

    [f] must not block or compute for long, since all other timers wait for it,
    nor raise. If it does raise, the exception is a thread's uncaught exception
    ([Thread.set_uncaught_exception_handler]; by default it is printed, with its
    backtrace), and the timer goes on.

    The timer holds [f] until it is called or cancelled, and not after that: a
    million timers set and cancelled leave nothing behind. Raises what
    {!Host.start} does, at the first timer only. *)

val limit : Mtime.Span.t -> (unit -> unit) -> cancel
(** {!after}, for a function that ends somebody's wait without what was waited
    for: a time limit. *)

(** {2 For those who look for deadlocks} *)

val limits : unit -> int
(** How many time limits are set. Linear in {!pending}. *)

val next_limit : unit -> Mtime.Span.t option
(** Until the next time limit; [None] if none is set. Linear in {!pending}. *)

type limit

val let_go_of_limits : take:(limit -> 'a) -> back:('a -> limit) -> unit -> unit
(** The timer holds the functions of time limits no more, but what [take] makes
    of them, until the function that it returns is called, by the same thread;
    it then calls those whose time has come meanwhile. By one thread at a time.
    Linear in {!pending}. *)

val start : unit -> unit
(** Starts the timer's thread if there is none yet, for a caller that may need a
    timer when the system has no thread left. Raises what {!Host.start} does,
    and [Unix.Unix_error] where no descriptor is left. *)

val pending : unit -> int
(** Timers that are neither cancelled nor over. A callback counts until it has
    returned, so that as long as a timer may still wake somebody it is more than
    0. One atomic read. *)

val span : call:string -> float -> Mtime.Span.t
(** Seconds as a span, for functions that take a float: raises
    [Invalid_argument] in the name of [call] for a negative number or [nan];
    more than 1e9, thirty years, is 1e9. *)
