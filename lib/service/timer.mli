(** The one clock and timer queue of the process.

    A priority search queue by deadline in one atomic word, and one thread of
    the service domain ({!Host}), started with the first timer, which sleeps
    until the next deadline. The thread does not run in between. A new timer
    wakes the thread only if the timer is due before the thread would wake. A
    timeout that is set and cancelled again, like most timeouts, therefore costs
    no system call.

    All functions are lock-free and callable from any domain, systhread, signal
    handler, or a timer's own callback. The clock is the system's monotonic
    clock, which does not count the time a machine sleeps (Linux) and never
    jumps.

    Checked (test/service): dscheck (the thread never sleeps past a timer that
    is set, or set and cancelled, while the thread goes to sleep; with seeded
    bugs); stress from domains, systhreads, signal handlers and callbacks; live
    words after a million cancelled timers.

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
(** Cancels the timer: the timer's thread does not call the callback afterwards;
    a callback already running goes on. O(log n), idempotent. Keeps no memory
    reachable, not even the callback. *)

val after : Mtime.Span.t -> (unit -> unit) -> cancel
(** [after span f] has [f ()] called on the timer's thread once [span] has
    passed, not before, and usually within a fraction of a millisecond. Timers
    due at the same instant are called in the order in which they were set.
    O(log n) for n pending timers.

    [f] must not block or compute for long, since all other timers wait for [f].
    [f] must not raise. If [f] raises, the exception is a thread's uncaught
    exception ([Thread.set_uncaught_exception_handler]; by default printed with
    its backtrace), and the timer's thread goes on.

    The timer keeps [f] until [f] is called or the timer cancelled, and no
    longer: a million timers set and cancelled leave no memory behind. Raises
    what {!Host.start} raises, at the first timer only. *)

val limit : Mtime.Span.t -> (unit -> unit) -> cancel
(** {!after}, for a time limit: a function that ends a wait without the awaited
    event. *)

(** {2 Time limits, for deadlock detection} *)

val limits : unit -> int
(** The number of time limits that are set. Linear in {!pending}. *)

val next_limit : unit -> Mtime.Span.t option
(** The time to the next time limit; [None] if no time limit is set. Linear in
    {!pending}. *)

type limit

val let_go_of_limits : take:(limit -> 'a) -> back:('a -> limit) -> unit -> unit
(** [let_go_of_limits ~take ~back] replaces the functions of all time limits by
    the values made by [take], until the same thread calls the resulting
    function, which puts the functions back and calls those whose time has come
    meanwhile. One caller at a time. Linear in {!pending}. *)

val start : unit -> unit
(** Starts the timer's thread if the thread does not run, for a caller that may
    need a timer when the system has no thread left. Raises what {!Host.start}
    raises, and [Unix.Unix_error] where no descriptor is left. *)

val pending : unit -> int
(** The number of timers neither cancelled nor over. A callback counts until it
    has returned, so [pending] is more than 0 as long as a timer may still wake
    a task. One atomic read. *)

val span : call:string -> float -> Mtime.Span.t
(** [span ~call seconds] is [seconds] as a span, for functions that take a
    float. Raises [Invalid_argument] in the name of [call] for a negative number
    or [nan]. A number above 1e9 (thirty years) counts as 1e9. *)
