(** One effect through which tasks of every scheduler wait for each other.

    A structure that blocks (a promise, a mutex, a channel) performs {!Suspend}
    with a function [block]. The scheduler of the caller captures the caller,
    makes a {!type-resumer} for the caller and applies [block] to the resumer.
    Either [block] stores the resumer where another task will find it, and
    returns [None]; or [block] finds that there is nothing to wait for, and
    returns [Some v]. The structure knows no scheduler; the scheduler knows no
    structure.

    Where no scheduler handles the effect, {!suspend} parks the calling
    systhread or domain instead, so a structure also works between plain threads
    and domains.

    Source: Deepali Ande, "Effectively composing concurrency libraries" (the
    final effect of its section 5.3), with two changes: errors carry their
    backtrace, and a scheduler that receives [Some v] always continues the task
    (the listing in the thesis' section 3.2 swaps two branches there, and can
    lose a lock).

    {1 The contract}

    {b Structures} perform the effect:
    - [block] must not block and must not raise; [block] runs outside the task,
      on the scheduler's own stack;
    - a structure calls each resumer at most once for itself, from any domain,
      systhread, callback or foreign scheduler. If the answer is [false], the
      task was cancelled, and the gift meant for the task (a lock, a message)
      goes to the next waiter;
    - after [Some v] the resumer must never be called;
    - a task that is cancelled while it waits leaves {!suspend} with an
      exception: the structure then drops the task's waiter.

    {b Schedulers} handle the effect:
    - a resumer never blocks for long and never raises; the first call wins and
      returns [true], every later call returns [false];
    - cancellation is tested before [block] is applied, and at the first
      cancellation point after the task has been resumed, but never between
      [Some v] and the continuation;
    - to cancel a waiting task, a scheduler calls the task's resumer with the
      error. *)

type 'a resumer = ('a, exn * Printexc.raw_backtrace) result -> bool
(** Makes a suspended task runnable again, with a value, or with an exception
    that is raised, with its backtrace, where the task waits. [true] if this
    call decided the task's fate: the task runs with this result. [false] if
    another call, usually a cancellation, came first. Any thread may call a
    resumer. *)

type _ Effect.t +=
  | Suspend : ('a resumer -> 'a option) -> 'a Effect.t
        (** Handled by schedulers. Structures call {!suspend}, which has the
            fallback. *)

val suspend : ?reason:string -> ('a resumer -> 'a option) -> 'a
(** [suspend block] suspends the calling task until its resumer is called. Where
    no scheduler handles {!Suspend}, the calling systhread or domain is parked
    instead. Raises the exception given to the resumer. [reason] tells people
    the reason of the wait ("Mutex.lock"), see {!val-reason}.

    {[
      # let cell = ref (fun _ -> false) in
        let waker = Domain.spawn (fun () ->
          while not (!cell (Ok "hello")) do Domain.cpu_relax () done) in
        let s = Dromos_suspend.suspend (fun resume -> cell := resume; None) in
        Domain.join waker;
        s
      - : string = "hello"
    ]} *)

(** {1 Waits that must not be cancelled} *)

type _ Effect.t +=
  | Shielded : ('a resumer -> 'a option) -> 'a Effect.t
        (** [Suspend] for a wait that continues when the task is cancelled: only
            the structure of [block] calls the resumer. A scheduler that can
            cancel tasks should handle [Shielded]; without a handler,
            {!suspend_shielded} is {!suspend}. *)

val suspend_shielded : ?reason:string -> ('a resumer -> 'a option) -> 'a
(** A condition variable uses [suspend_shielded] to take its mutex again before
    raising a cancellation. *)

(** {1 Identities and reasons} *)

type _ Effect.t +=
  | Self : int Effect.t
        (** The calling task's identity, for structures with owners. A scheduler
            answers at once with a number from {!fresh_id} that belongs to the
            task for ever. A scheduler without a handler of [Self] must not run
            under a scheduler with a handler: all tasks of the inner scheduler
            would have the identity of the outer task. *)

val fresh_id : unit -> int
(** A positive number; no number is given twice. *)

val self : unit -> int
(** The calling task's identity. The number is negative for a plain systhread or
    domain, and [0] for a task of a scheduler that handles {!Suspend} but not
    {!Self}: such a task cannot be told apart from its neighbours. *)

val reason : unit -> string
(** The reason given to {!suspend}, [""] by default. A scheduler reads the
    reason in its handler of {!Suspend}, before it applies [block]. *)

val set_thread_id : (unit -> int) -> unit
(** [set_thread_id f]: [f] numbers the calling systhread, from 0. The default is
    the domain's number, since the standard library alone knows no systhreads.
*)

(** {1 Cancellation} *)

val add_cancellation : (exn -> bool) -> unit
(** [add_cancellation is], for schedulers, once each, when they are linked:
    [is e] is [true] if the scheduler cancels its tasks with the exception [e].
    [is] must not raise. Process wide. *)

val is_cancellation : exn -> bool
(** [is_cancellation e], for structures, is [true] if a scheduler cancels tasks
    with [e]. Such an exception says nothing about the computation of the task.
*)

(** {1 State that tasks carry}

    A scheduler such as Dromos's Fifo runs its tasks in turn inside one task of
    another scheduler. The outer task carries state: fiber-local storage. An
    inner task has the outer task's state for its own while running. Call
    [let back = Carried.save ()] before an inner task leaves, and [back ()]
    before the inner task goes on. A few nanoseconds.

    {[
      # let now = ref "outer" in
        Dromos_suspend.Carried.add (fun () ->
            let before = !now in
            fun () -> now := before);
        let back = Dromos_suspend.Carried.save () in
        now := "of another task";
        back ();
        !now
      - : string = "outer"
    ]} *)
module Carried : sig
  val save : unit -> unit -> unit
  (** Saves the state that the calling task carries; the resulting function puts
      the state back. *)

  val add : (unit -> unit -> unit) -> unit
  (** [add save], for libraries with state to be carried, once each, when they
      are linked. [save] must neither raise nor wait. Process wide. *)
end

(** {1 Callbacks} *)

exception Misplaced of string
(** [Dromos.Misplaced]: the call is not possible at this place; the text gives
    the remedy. *)

(** Callbacks: functions of a program called by a thread that resumes a task
    (for example the timer's thread), where no task may wait. *)
module Callback : sig
  val call : what:(unit -> string) -> ('a -> 'b) -> 'a -> 'b
  (** [call ~what f x] is [f x], but an attempt of [f] to wait ({!suspend} and
      all functions built on {!suspend}) raises {!Misplaced} in [f]. The text
      has [what ()] and the reason of the wait. Operations that need not wait
      (on an unlocked mutex) go through, and so do waits that must not be
      cancelled ({!suspend_shielded}). Costs an effect handler, about 40 ns.

      {[
        # Dromos_suspend.Callback.call
            ~what:(fun () -> "The function given to on_close")
            (fun () -> Dromos_suspend.suspend ~reason:"Mutex.lock" (fun _ -> None))
            ()
        Exception:
        Dromos.Misplaced: The function given to on_close must not wait (Mutex.lock): it may be called on any thread, and what it waits for might need that thread. Use operations that never wait (try_lock, Promise.resolve), or have a task that waits for them do the rest.
      ]} *)

  type refusal = { operation : 'a. 'a Effect.t -> string option }

  val refuse : refusal -> unit
  (** [refuse r], for schedulers, once each, when they are linked. [r.operation]
      names the operation of each effect by which the scheduler suspends the
      caller, besides {!Suspend}. *)
end

(** {1 The fallback}

    A thread parked by the fallback runs no signal handlers (as in Stdlib's
    [Condition.wait]). Do not let a parked thread wait for an action of a signal
    handler of the program. *)

type parker = {
  park : unit -> unit;
      (** Blocks the calling systhread until [unpark] is called; returns at once
          if [unpark] was called already. May return early: the caller tests its
          own condition again. May raise; the wait is then abandoned. *)
  unpark : unit -> unit;
      (** Called once, by any thread; never blocks for long, never raises. *)
}
(** A one-shot way to block a thread. *)

val thread_parker : unit -> parker
(** The default parker: a mutex and a condition variable. *)

val set_parker : (unit -> parker) -> unit
(** [set_parker make] has the fallback use [make ()], called on the thread that
    is about to park, in place of a mutex and a condition variable. Process
    wide. A library that installs a parker keeps the parker it replaces
    ({!val-parker}) for the threads that the library does not know. *)

val parker : unit -> unit -> parker
(** The present function that makes parkers. *)

(** {1 Wake-ups from outside} *)

(** Bridges to schedulers, event loops and libraries count the wake-ups owed to
    tasks. While a wake-up is owed, a scheduler that looks for deadlocks must
    not take the silence of its tasks for a deadlock. The count does not say
    which task waits. A bridge that does not count causes at worst a needless
    report.

    {[
      # let from_event_loop start =
          Dromos_suspend.External.incr ();
          Fun.protect ~finally:Dromos_suspend.External.decr (fun () ->
            Dromos_suspend.suspend (fun resume ->
              start (fun v -> ignore (resume (Ok v)));
              None))
        in
        from_event_loop (fun callback -> callback 42)
      - : int = 42
    ]} *)
module External : sig
  val incr : unit -> unit
  (** Counts a wake-up that is owed. To be called before a task can wait for the
      wake-up. *)

  val decr : unit -> unit
  (** The wake-up has been made, or is not wanted any more. *)

  val pending : unit -> int
end
