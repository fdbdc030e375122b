(** Condition variables: waiting, with a {!Mutex} held, until somebody who holds
    it has changed something.

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

    {!wait} gives the mutex up and waits in one step: who signals with the mutex
    held, or after it held it, finds everybody who has begun to wait before. A
    signal wakes the first who came, and the woken stand in the line of the
    mutex like everybody else, so another task may come between a signal and the
    end of the {!wait} that it woke: test again what was waited for, or use
    {!await}, which does. Nobody is woken without a signal.

    {!signal} and {!broadcast} are lock-free, and can be called by anybody, from
    callbacks too, with the mutex or without. {!wait} is for tasks, systhreads
    and domains. Leaving is O(1), signalling amortized O(1) for each who waits.

    {b Cancellation}: who is cancelled while it waits, or whose time is up,
    takes the mutex again and then raises, so that {!Mutex.protect} and the like
    are right about who holds it. To take the mutex again is not cancellable. A
    signal whose task is cancelled before {!wait} returns goes to the next one
    that waits. Only under a scheduler that cancels tasks and does not handle
    {!Dromos_suspend.Shielded} can a cancelled [wait] raise without the mutex.

    {b Why there is no [wait_event]}: in a choice, who chose something else
    would have to wait for the mutex all the same, and what others did with it
    meanwhile would have happened, so the operation would not be undone. What
    can be chosen from are the structures that hold what one waits for: a
    {!Semaphore}, a {!Channel}, an {!Ivar}.

    Sources: Mesa's condition variables (Lampson, Redell, 1980), without
    spurious wake-ups. Checked: dscheck and stress in test/sync. *)

type t

val create : ?name:string -> unit -> t
(** [name] appears in reports of deadlocks. *)

val wait : ?timeout:float -> t -> Mutex.t -> unit
(** Raises {!Event.Timeout}, with the mutex held, if no signal comes in
    [timeout] seconds; to take the mutex again may take longer. Raises
    [Invalid_argument], and does nothing, if the caller does not hold the mutex.
*)

val await : ?timeout:float -> t -> Mutex.t -> (unit -> bool) -> unit
(** [await t m p] waits again and again until [p ()], which is called with the
    mutex held. [timeout] is for all of it. *)

val signal : t -> unit
(** Wakes the first of those who wait, if there are any. *)

val broadcast : t -> unit
(** Wakes all who wait, first to last. *)
