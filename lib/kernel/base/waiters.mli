(** Sleeping without losing a wake-up: a two-phase protocol (an eventcount).

    A worker that finds nothing to do first {e announces} that it may sleep
    ({!prepare}), then looks for work once more, and only then {e commits}. A
    producer publishes its work first and {e then} notifies. Whatever the
    interleaving, either the worker's second look finds the work or the
    producer's notification finds the worker: all accesses involved are
    sequentially consistent atomics.

    {[
      (* a worker that has found nothing *)
      let rest waiters i =
        Waiters.prepare waiters i;
        match look_for_work () with
        | None -> Waiters.commit waiters i
        | Some task ->
            if Waiters.cancel waiters i then ignore (Waiters.notify_one waiters);
            run task

      let produce waiters task =
        publish task;
        ignore (Waiters.notify_one waiters)
    ]}

    Slots are worker numbers, [0 .. size - 1]; slot [i] is used by one thread at
    a time. Notifying is callable from anywhere and costs one atomic read when
    nobody has announced a sleep.

    Source: Parabs, section 7, after the eventcount of 1024cores and Taskflow.
    Proved, down to the compare-and-sets: each announcement that was made before
    a {!notify}, {!notify_one} that returns [false] or {!notify_all} began is
    over, by its own thread or notified, when that returns; and once an
    announcement is over its thread finds the wake-up in its next step. That the
    condition then wakes a thread that is asleep already is model-checked in
    test/base, down to the mutex, for one sleeper and two notifiers, and two
    sleepers and one notifier; with an abstract mutex also two notifications to
    two sleepers (two notifiers: sampled). Tested there against a sequential
    model, on two domains also.

    {b Checked.}
    - proved (proofs/base/waiters.v): [create], [prepare], [cancel], [commit],
      [recover];
    - proved (proofs/base/waiters_notify.v): [notify_one], [notify],
      [notify_all], [count];
    - model-checked (test/base): [prepare], [cancel], [commit], [notify_one],
      [notify], [notify_all];
    - tested (test/base): all. *)

type t

val create : int -> t
(** [create size]. *)

val prepare : t -> int -> unit
(** Slot [i] announces that it is about to sleep. *)

val cancel : t -> int -> bool
(** Slot [i] found something after all. [true] if a notification was consumed
    meanwhile: the caller passes it on ({!notify_one}) if what it found may not
    be all there is, or a wake-up is lost. *)

val commit : t -> int -> unit
(** Slot [i] sleeps until it is notified; returns at once if it was notified
    since {!prepare}. The only operation that blocks. *)

val recover : t -> int -> bool
(** Slot [i]'s thread was torn out of {!prepare}, {!cancel} or {!commit} by an
    asynchronous exception (a signal handler that raises); the shim that caught
    it puts the slot right. The result is that of {!cancel}. *)

val notify_one : t -> bool
(** Wakes one announced or sleeping slot, if any; tells whether it did. [false]:
    each slot was seen not to wait at some instant of the call, which need not
    be the same instant for all. Starts where the last one did not, so that no
    slot is passed over for ever. Linear in the number of slots when few sleep.
*)

val notify : t -> int -> bool
(** Wakes slot [i] if it has announced a sleep; tells whether it did. *)

val notify_all : t -> unit

val count : t -> int
(** A snapshot of the number of slots that announced a sleep and were not
    notified. *)
