(** Condition variables: a task that holds a {!Mutex} waits until another holder
    of the mutex has changed something.

    {[
      # open Dromos_sync
      # let m = Mutex.create () and changed = Condition.create () in
        let jobs = ref [] in
        let taker =
          Domain.spawn (fun () ->
            Mutex.protect m (fun () ->
              Condition.await changed m (fun () -> !jobs <> []);
              List.hd !jobs))
        in
        Mutex.protect m (fun () ->
          jobs := [ "sweep" ];
          Condition.signal changed);
        Domain.join taker
      - : string = "sweep"
    ]}

    {!wait} unlocks the mutex and waits in one step. A task that signals while
    it holds the mutex, or after having held it, finds every task that began to
    wait before. A signal wakes the first waiter. The woken task then queues for
    the mutex, so another task may hold the mutex between a signal and the
    return of the {!wait} that was woken. Test your condition again, or use
    {!await}, which loops. No task is woken without a signal.

    {!signal} and {!broadcast} are lock-free. Any thread or callback can call
    them, with the mutex or without. {!wait} is for tasks, systhreads and
    domains. Leaving is O(1), signalling amortized O(1) per waiter.

    {b Cancellation}: a waiter that is cancelled or times out takes the mutex
    again before it raises, so that {!Mutex.protect} and similar functions find
    the mutex held. Taking the mutex again is not cancellable. If a task is
    cancelled after a signal and before its {!wait} returns, the signal goes to
    the next waiter. Under a scheduler that cancels tasks and does not handle
    {!Dromos_suspend.Shielded}, a cancelled [wait] can raise without the mutex.

    {b Why there is no [wait_event]}: a task that chose another branch would
    have to wait for the mutex nevertheless, and other tasks would have used the
    mutex meanwhile, so the operation would not be undone. Select from the
    structures that hold the thing you wait for: a {!Semaphore}, a {!Channel},
    an {!Ivar}.

    Sources: Mesa's condition variables (Lampson, Redell, 1980), without
    spurious wake-ups. Checked: dscheck and stress in test/sync. *)

type t

val create : ?name:string -> unit -> t
(** [name] appears in reports of deadlocks. *)

val wait : ?timeout:float -> t -> Mutex.t -> unit
(** Raises {!Event.Timeout}, with the mutex held, if no signal comes in
    [timeout] seconds; taking the mutex again may take longer. Raises
    [Invalid_argument], and changes nothing, if the caller does not hold the
    mutex. *)

val await : ?timeout:float -> t -> Mutex.t -> (unit -> bool) -> unit
(** [await t m p] waits repeatedly until [p ()] is [true]. [p] is called with
    the mutex held. [timeout] counts from the call of [await]. *)

val signal : t -> unit
(** Wakes the first waiter, if there are waiters. *)

val broadcast : t -> unit
(** Wakes all waiters, first to last. *)
