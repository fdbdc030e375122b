(** Waiters: how a task waits in the wait queues of one or several structures,
    and is served exactly once.

    For authors of structures; users meet {!Event} and the structures.

    {b The parties.} A task that must wait makes a {e select} and puts a waiter
    (a cell) into the wait queue of every structure that may serve the task: one
    waiter for a plain operation, several for {!Event.choose}. A {e giver} is a
    thread with something to give: a sender, an unlocker, a timer. A giver walks
    a wait queue and {!offer}s to its waiters. A select accepts one offer, by
    one compare-and-set, and the giver then wakes the task. From the
    compare-and-set on the operation has taken place. A task that is cancelled
    at the same time still returns the result, and meets its cancellation at its
    next cancellation point. Therefore no result is lost, no operation is
    carried out twice, and a giver can forget what a waiter has accepted.

    {b Registering.} A task with several waiters puts them into their queues one
    by one, and may find an operation possible on the way; no giver may then
    serve another waiter of the task. Until all waiters are in their queues and
    all operations have been tried, the select is {e registering}. A giver that
    offers to a registering select gets the answer [Busy], leaves a mark, goes
    on to the next waiter, and leaves its gift visible in the structure. A
    registering select that was marked tries all its operations again before the
    task sleeps.

    {v
      registering          --a giver passes-->            marked
      marked               --tries again-->               registering
      registering, marked  --an operation is possible-->  decided
      registering          --no operation is possible-->  asleep
      asleep               --accepts an offer-->          decided
      any but decided      --the task is cancelled-->     gone
    v}

    Two matching operations can therefore not both go to sleep. Let B be the one
    whose waiter entered its queue after the waiter of A. B tried its operation
    after that, and met A's waiter. If A was asleep, B served A. If A was
    registering, B marked A: A tries again, and sees B. No party waits for
    another party: the protocol is lock-free.

    {b The giver's duty.} A giver that meets only registering selects first
    makes its gift visible in the structure's state. Then the giver looks again
    ({!ready}). If a waiter has gone to sleep meanwhile, the giver takes the
    gift back and offers again.

    A plain operation has one waiter. The compare-and-set that finds the
    operation impossible also puts the waiter into the queue, so the select of a
    plain operation is registering only if the operation met a registering
    select.

    Sources: the select of Kotlin's coroutines (its registration phase) and
    Parallel CML (Reppy, Russo, Xiao, ICFP 2009), with the registering state in
    place of their re-registration and of spinning. Checked: dscheck in
    test/sync, for the structures over this module.

    @canonical Dromos_sync.Author.Waiter *)

type 'a outcome = ('a, exn * Printexc.raw_backtrace) result

val deliver : 'a outcome -> 'a
(** [deliver outcome] returns the value, or raises the exception with its
    backtrace. *)

type 'a t
(** A waiter (a cell): one way to serve a select, with an ['a]. *)

type token
(** The identity of a select. A select cannot serve itself. *)

val nobody : token

type answer =
  | Taken  (** the select accepted this offer *)
  | Gone  (** the select was served otherwise, or was cancelled *)
  | Busy
      (** the select is registering, and is marked now; the giver's duty begins
      *)

val offer : self:token -> 'a t -> 'a outcome -> answer
(** [offer ~self waiter outcome] offers [outcome] to the waiter, and wakes the
    waiting task if the answer is [Taken]. [self] is the select in whose name
    the offer is made, or {!nobody}. Callable from any thread; lock-free. *)

val ready : self:token -> 'a t -> bool
(** [ready ~self waiter] is [true] if an offer would have been [Taken]. A
    registering select is marked. *)

val gone : 'a t -> bool
(** [gone waiter] is [true] if the waiter can accept no offer any more. The
    answer [true] is final. *)

val is_of : self:token -> 'a t -> bool
(** [is_of ~self waiter] is [true] if the waiter belongs to the select [self].
*)

val plain : 'a t -> bool
(** [plain waiter] is [true] if the waiter belongs to a plain operation
    ({!wait}). {!wait} returns the value offered to a plain waiter, in the task.
*)

val won : 'a t -> bool
(** [won waiter] is [true] if the select accepted an offer to this waiter. The
    answer is [false] if the select accepted an offer to another waiter, or
    carried out an operation itself. *)

val left : 'a t -> bool
(** [left waiter] is {!gone} and not {!won}, in one read. *)

val served : unit t
(** A waiter that has {!won}, for entries that enter a queue without waiting. *)

(** {1 Operations that may wait} *)

type 'a attempt =
  | Done of 'a outcome
  | Enlisted
  | Nothing
      (** the operation is not possible now, and no waiter was enlisted *)

type 'a source = {
  attempt : self:token -> 'a t option -> 'a attempt;
      (** [attempt ~self waiter] carries out the operation if the operation is
          possible now. If the operation is not possible, a waiter is given and
          no registering select was met, [attempt] enlists the waiter in the
          same atomic step. In all other cases the result is [Nothing]. Never
          blocks, never raises. *)
  enlist : 'a t -> unit -> unit;
      (** [enlist waiter] puts the waiter into the queue unconditionally. The
          resulting function is called when the select is over ([ignore], for
          waiters in a {!Line}). *)
  reason : string;  (** the reason of the wait, for reports *)
}
(** An operation. Both functions may be called more than once, from any thread,
    outside any task. *)

type 'c branch =
  | Branch : 'a source * ('a outcome -> 'c) -> 'c branch
      (** An operation among others, and a function from its outcome to the
          result of the select. The task calls the function. *)

val wait : ?shielded:bool -> 'a source -> 'a
(** [wait source] carries out the operation, and suspends the caller until the
    operation is possible. Raises the exception of the outcome, or the exception
    that cancels the caller. If [shielded], the cancellation waits until the
    operation has taken place ({!Dromos_suspend.suspend_shielded}). *)

val choose : 'c branch array -> int * (unit -> 'c)
(** [choose branches] carries out exactly one of the operations. Among several
    possible operations, each has the same chance. Returns the index of the
    branch and a function that computes the result. Raises only the exception
    that cancels the caller. *)

val poll : 'c branch array -> (int * (unit -> 'c)) option
(** [poll branches] is {!choose} if an operation is possible now, and [None]
    otherwise. *)

val start : 'c branch array -> (int * (unit -> 'c) -> unit) -> unit -> bool
(** [start branches f] is {!choose} for schedulers that do not know
    {!Dromos_suspend.Suspend}. [f] is called once with the decision, from any
    thread, possibly before [start] returns. The resulting function cancels;
    [true] means that [f] will not be called. [f] must neither block nor raise.
*)
