(** Sleeping without losing a wake-up: a two-phase protocol (an eventcount).

    A worker that finds no work first {e announces} that it may sleep
    ({!prepare}), then looks for work a second time, and only then {e commits}.
    A producer publishes its work first and {e then} notifies. In every
    interleaving, either the worker's second look finds the work or the
    producer's notification finds the worker: all accesses of the protocol are
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

    Slots are worker numbers, [0 .. size - 1]; one thread at a time uses slot
    [i]. Any thread may notify. A notification costs one atomic read when no
    slot has announced a sleep.

    Source: Parabs, section 7, after the eventcount of 1024cores and Taskflow.

    Proved, down to the compare-and-sets:
    - When {!notify}, {!notify_all} or a {!notify_one} with result [false]
      returns, every announcement that was made before the call (for {!notify}:
      by slot [i]) is over: either its own thread ended the announcement, or a
      notifier did.
    - Once an announcement is over, its thread finds the wake-up in its next
      step.

    Model-checked in test/base, down to the mutex: the condition wakes a thread
    that is asleep already, for one sleeper and two notifiers, and for two
    sleepers and one notifier. With an abstract mutex, also two notifications to
    two sleepers (by two notifiers: sampled). Tested there against a sequential
    model, also on two domains.

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
(** [create size] makes [size] slots, all awake. *)

val prepare : t -> int -> unit
(** Slot [i] announces that it is about to sleep. *)

val cancel : t -> int -> bool
(** Slot [i] has found work and withdraws its announcement. The result is [true]
    if a notification came meanwhile. Then the caller must notify another slot
    ({!notify_one}) if there may be more work than it found; otherwise a wake-up
    is lost. *)

val commit : t -> int -> unit
(** Slot [i] sleeps until a notification. Returns at once if a notification came
    since {!prepare}. No other operation blocks. *)

val recover : t -> int -> bool
(** The shim that catches an asynchronous exception (a signal handler that
    raises) calls [recover t i] if the exception has interrupted slot [i]'s
    thread in {!prepare}, {!cancel} or {!commit}. [recover] makes the slot awake
    again. The result is as for {!cancel}. *)

val notify_one : t -> bool
(** Wakes one announced or sleeping slot, if there is one, and returns [true] if
    it woke one. [false] means that each slot was not waiting at some instant of
    the call, not necessarily at the same instant. Each call starts at the slot
    after the previous call's, so no slot is passed over for ever. The time is
    linear in the number of slots when few sleep. *)

val notify : t -> int -> bool
(** Wakes slot [i] if the slot has announced a sleep. Returns [true] if the call
    woke the slot. *)

val notify_all : t -> unit

val count : t -> int
(** A snapshot of the number of slots that have announced a sleep and have no
    notification yet. *)
