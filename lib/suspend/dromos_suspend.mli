(** One effect through which tasks of every scheduler wait for each other.

    A structure that blocks (a promise, a mutex, a channel) performs {!Suspend}
    with a function [block]. The scheduler under which the caller runs captures
    the caller, makes a {!type-resumer} for it and applies [block] to that
    resumer. [block] either stores the resumer where somebody will find it and
    returns [None], or finds that there is nothing to wait for and returns
    [Some v]. The structure knows no scheduler; the scheduler knows no
    structure.

    Where no scheduler handles the effect, {!suspend} parks the calling
    systhread or domain instead, so the same structures work between plain
    threads and domains too.

    Source: Deepali Ande, "Effectively composing concurrency libraries" (the
    final effect of its section 5.3), with two changes: errors carry their
    backtrace, and a scheduler that receives [Some v] always continues the task
    (the listing in the thesis' section 3.2 swaps two branches there, and can
    lose a lock).

    {1 The contract}

    {b Structures} (whoever performs the effect):
    - [block] must not block and must not raise; it runs outside the task, on
      the scheduler's own stack;
    - a structure calls each resumer at most once for itself, from any domain,
      systhread, callback or foreign scheduler; if the answer is [false] the
      task was cancelled, and whatever was meant for it (a lock, a message) goes
      to the next waiter;
    - after [Some v] the resumer must never be called;
    - a task that is cancelled while it waits leaves {!suspend} with an
      exception: the structure drops the waiter's cell there.

    {b Schedulers} (whoever handles it):
    - a resumer never blocks for long and never raises; the first call wins and
      returns [true], every later one returns [false];
    - cancellation is tested before [block] is applied, and after the task has
      been resumed at its next cancellation point, never between [Some v] and
      the continuation;
    - cancelling a waiting task is calling its resumer with the error. *)

type 'a resumer = ('a, exn * Printexc.raw_backtrace) result -> bool
(** Makes a suspended task runnable again with a value, or with an exception
    that is raised, with its backtrace, where the task waits. [true] when this
    call decided the task's fate, so it will run with this result; [false] when
    somebody, usually a cancellation, had done so before. Callable from
    anywhere. *)

type _ Effect.t +=
  | Suspend : ('a resumer -> 'a option) -> 'a Effect.t
        (** To be handled by schedulers; structures call {!suspend}, which has
            the fallback. *)

val suspend : ?reason:string -> ('a resumer -> 'a option) -> 'a
(** [suspend block] suspends the calling task (or parks the calling systhread or
    domain, where no scheduler handles {!Suspend}) until its resumer is called.
    Raises what the resumer was given. [reason] says for people what is waited
    for ("Mutex.lock"), see {!val-reason}.

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
        (** [Suspend] for a wait that goes on although the task is, or is being,
            cancelled: nobody but [block]'s structure calls the resumer. A
            scheduler that can cancel its tasks should handle it; where nobody
            does, {!suspend_shielded} is {!suspend}. *)

val suspend_shielded : ?reason:string -> ('a resumer -> 'a option) -> 'a
(** For structures that have to get something back before they may raise: a
    condition variable its mutex. *)

(** {1 Who waits, and why} *)

type _ Effect.t +=
  | Self : int Effect.t
        (** The calling task's identity, for structures that have owners. A
            scheduler answers at once with a number from {!fresh_id} that stays
            the task's own. One that does not handle it must not run under one
            that does: its tasks would all seem to be the one that it runs in.
        *)

val fresh_id : unit -> int
(** A positive number, never given twice. *)

val self : unit -> int
(** The calling task's identity; negative for a plain systhread or domain; [0]
    when the caller is a task of a scheduler that handles {!Suspend} but not
    {!Self}, and thus cannot be told apart from its neighbours. *)

val reason : unit -> string
(** For schedulers, where they handle {!Suspend}, before they apply [block]: the
    reason that was given to {!suspend}, [""] if there was none. *)

val set_thread_id : (unit -> int) -> unit
(** How to number the calling systhread, from 0. By default the domain's number
    is taken, since the standard library alone knows no systhreads. *)

(** {1 Cancellation} *)

val add_cancellation : (exn -> bool) -> unit
(** For schedulers, once each, when they are linked: tells the exceptions that
    cancel their tasks. The predicate must not raise. Process wide. *)

val is_cancellation : exn -> bool
(** For structures: whether some scheduler cancels tasks with that exception, so
    that it says nothing about what the task was computing. *)

(** {1 What tasks carry with them}

    For schedulers whose tasks run inside one task of another scheduler, in
    turn, as those of Dromos's Fifo do: what that task carries, its fiber-local
    storage, is each of theirs while it runs. Before a task leaves,
    [let back = Carried.save ()]; before it goes on, [back ()]. A few
    nanoseconds.

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
  (** What the calling task carries, as a function that puts it back. *)

  val add : (unit -> unit -> unit) -> unit
  (** For libraries that have something to be carried, once each, when they are
      linked. It must not raise, nor wait. Process wide. *)
end

(** {1 Callbacks} *)

exception Misplaced of string
(** [Dromos.Misplaced]: the call is not possible where it was made; the text
    says what to do. *)

(** Functions of a program that are called where no task may wait: by whoever
    resumes a task, on any thread, the one timer's among them. *)
module Callback : sig
  val call : what:(unit -> string) -> ('a -> 'b) -> 'a -> 'b
  (** [call ~what f x] is [f x], but an attempt of [f] to wait ({!suspend} and
      all that is built on it) raises {!Misplaced} in [f], with [what ()] and
      the reason of the wait in its text. Operations that need not wait (an
      unlocked mutex) go through, and so do waits that must not be cancelled
      ({!suspend_shielded}). Costs an effect handler, about 40 ns.

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
  (** For schedulers, once each, when they are linked: effects of their own that
      suspend the caller, with the name of the operation. *)
end

(** {1 The fallback}

    A thread that is parked by it runs no signal handlers (as in Stdlib's
    [Condition.wait]): do not have it wait for what only a handler of its own
    program's signals does. *)

type parker = {
  park : unit -> unit;
      (** Blocks the calling systhread until [unpark] has been called; returns
          at once if it already was. May return early: the caller tests its own
          condition again. May raise, and the wait is then abandoned. *)
  unpark : unit -> unit;
      (** Called once, from anywhere; never blocks for long, never raises. *)
}
(** A one-shot way to block a thread. *)

val thread_parker : unit -> parker
(** A mutex and a condition variable: what is in force by default. *)

val set_parker : (unit -> parker) -> unit
(** [set_parker make] has the fallback use [make ()], called on the thread that
    is about to park, in place of a mutex and a condition variable. Process
    wide; a library that installs one keeps the parker it replaces
    ({!val-parker}) for the threads it does not know. *)

val parker : unit -> unit -> parker
(** The parker in force. *)

(** {1 Wake-ups from outside} *)

(** For bridges to schedulers, event loops and libraries that will resume a
    task: while they owe somebody a wake-up, a scheduler that looks for
    deadlocks must not take its tasks' silence for one. Says nothing about who
    waits; a bridge that does not count is at worst the cause of a needless
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
  (** One wake-up is owed. Before anybody can wait for it. *)

  val decr : unit -> unit
  (** It has been made, or is not wanted any more. *)

  val pending : unit -> int
end
