(** Mutual exclusion for tasks of every scheduler.

    At most one task holds a mutex. {!lock} suspends the caller until the caller
    holds the mutex.

    {b Order.} Waiters are served first in, first out: {!unlock} wakes the first
    waiter. Until the woken task runs, no task uses the mutex, so running tasks
    may lock it, at most 64 times in all. A woken task that finds the mutex held
    goes back to the front of the queue, and cannot be overtaken a second time.
    Therefore no task starves. Where many tasks lock again and again, one lock
    in 64 makes its task wait; without overtaking every lock would (a
    {e convoy}). A task that waits by {!lock_event}, or with a [timeout], is
    never overtaken.

    A task that holds a [Stdlib.Mutex] must not suspend. A mutex of this module
    may be held across an [await], a [sleep] or a [send]. The task may unlock it
    on another domain than the domain of the {!lock}.

    {[
      # open Dromos_sync
      # let m = Mutex.create ~name:"total" () and total = ref 0 in
        let add () = for _ = 1 to 1000 do Mutex.protect m (fun () -> incr total) done in
        let d = Domain.spawn add in
        add ();
        Domain.join d;
        !total
      - : int = 2000
    ]}

    {b Callers}: tasks, systhreads and domains; callbacks may call {!try_lock},
    {!lock_event} and {!unlock}. Lock-free except for the wait. The actions of a
    holder before {!unlock} happen before the actions of the next holder after
    {!lock}. Locking and unlocking without contention is one compare-and-set
    each, and asks the scheduler for the caller's identity
    ({!Dromos_suspend.self}).

    {b Cancellation}: a waiter that is cancelled or times out leaves in O(1),
    without the mutex, and without delaying the waiters behind. A task that was
    already given the mutex returns with it, and meets its cancellation at its
    next cancellation point.

    {b Owners}: {!unlock} by a task other than the holder, {!unlock} of a free
    mutex and {!lock} by the holder raise an exception with an explanation.
    Tasks that share an identity (all tasks of Lwt on one thread) are not told
    apart. Tasks of a scheduler without identities ([self () = 0]) are not
    checked.

    Sources: as {!Semaphore}, with one permit; convoys as in Blasgen, Gray,
    Mitoma and Price, {e The convoy phenomenon} (1979); a woken task that
    competes, and then surely gets the mutex, as in Go's [sync.Mutex]; owners as
    in POSIX's error-checking mutexes. Checked: dscheck (overtaking too, with
    seeded bugs), hand-overs counted, and stress, in test/sync. *)

include Mutex_intf.S with type t = Mutex_core.t
(** @inline *)
