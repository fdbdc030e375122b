(** Mutual exclusion for tasks of every scheduler.

    At most one task holds a mutex; {!lock} waits, suspending the caller only,
    until that is the caller.

    {b Order.} Waiters are served first in, first out. The first waiter is woken
    as the mutex is unlocked. Until the woken task runs, nobody uses the mutex,
    so tasks that run already may lock it, 64 times in all at most; a woken task
    that finds the mutex held goes back to the front of the line, and is not
    overtaken a second time. So no task starves, and where many tasks lock again
    and again, one of them in 64 waits rather than each of them (a {e convoy}).
    Nobody overtakes tasks that wait by {!lock_event}, or with a [timeout].

    Tasks that hold a [Stdlib.Mutex] must not suspend: this one may be held
    across an [await], a [sleep] or a [send], and may be unlocked on another
    domain than it was locked on, by the same task.

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

    {b Who may call}: tasks, systhreads, domains; callbacks may {!try_lock}, use
    {!lock_event} and {!unlock}. Lock-free but for the wait itself. What a
    holder did before {!unlock} happens before what the next one does after
    {!lock}. Locking and unlocking without contention is one compare-and-set
    each, and asks the scheduler who the caller is ({!Dromos_suspend.self}).

    {b Cancellation}: a waiter that is cancelled or whose time is up leaves in
    O(1), without the mutex, and without holding up those behind it. Who was
    given the mutex returns with it, and meets its cancellation at its next
    point.

    {b Owners}: a mutex that is unlocked by somebody else than its holder, or by
    anybody while nobody holds it, or locked by who holds it, is an error that
    says so. Tasks that share an identity (all of Lwt's on one thread) are not
    told apart; those of a scheduler that has none ([self () = 0]) are not
    checked.

    Sources: as {!Semaphore}, with one permit; convoys as in Blasgen, Gray,
    Mitoma and Price, {e The convoy phenomenon} (1979); a woken task that
    competes, and then has the mutex for sure, as in Go's [sync.Mutex]; owners
    as in POSIX's error-checking mutexes. Checked: dscheck (overtaking too, with
    seeded bugs), hand-overs counted, and stress, in test/sync. *)

type t

val create : ?name:string -> unit -> t
(** [name] appears in errors and in reports of deadlocks. *)

val lock : ?timeout:float -> t -> unit
(** Raises {!Event.Timeout} if that takes more than [timeout] seconds,
    [Invalid_argument] at once if the caller holds it. *)

val try_lock : t -> bool
(** [false] if somebody holds it, be it the caller. Overtakes as {!lock} does.
*)

val lock_event : t -> unit Event.t
(** Whoever synchronizes becomes the holder. Waits for ever if that is the
    holder already, unlike {!lock}: under a scheduler whose tasks share an
    identity another task of it may unlock. *)

val unlock : t -> unit
(** Never blocks. Raises [Invalid_argument] if the caller is not the holder. *)

val protect : ?timeout:float -> t -> (unit -> 'a) -> 'a
(** [protect t f] is [f ()] with the mutex held, which is unlocked whatever
    happens in [f]. *)

val is_locked : t -> bool
(** A snapshot. *)

val owner : t -> Owner.t option
(** Who holds the mutex: for a scheduler that wants to run the holder first. A
    snapshot; [None] also while a mutex that was given to a waiter has not been
    taken over by it, and where the holder has no identity. *)

(** {1 For structures} *)

val relock : shielded:bool -> t -> unit
(** {!lock} without looking whether the caller holds it. If [shielded], for who
    has been cancelled and must have the mutex all the same ({!Condition}): not
    cancellable, where the scheduler handles {!Dromos_suspend.Shielded}. *)
