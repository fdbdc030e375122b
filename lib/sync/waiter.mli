(** Those who wait: cells that one {e choice} has in the lines of one or several
    structures, and the protocol by which exactly one of them is served.

    For authors of structures; users meet {!Event} and the structures.

    {b The parties.} A task that must wait makes a {e choice} and enlists a cell
    of it in the line of every structure that may serve it: one for a plain
    operation, several for {!Event.choose}. A {e giver} (a sender, an unlocker,
    a timer) walks a line and {!offer}s to its cells. A choice decides itself
    for one offer, by one compare-and-set, and the giver then wakes the task.
    From that instant the operation has taken place: if the task is cancelled at
    the same time, it returns the result all the same, and meets its
    cancellation at its next point. So nothing is lost and nothing done twice,
    and no giver needs to ask what became of its gift.

    {b Choices that are being made.} While a task with several cells is still
    enlisting them it may find that one of its operations has become possible;
    it must then be sure that no giver serves another of its cells. So until all
    are enlisted and have been tried the choice is {e busy}: givers who meet it
    are told [Busy], leave a mark, go on to the next cell, and leave what they
    have to give in the structure, in sight; a busy choice that was marked tries
    all its operations again before it sleeps. Two matching operations can thus
    not both go to sleep: whichever was enlisted last tried the other after
    that, and either found it asleep, and served it, or left a mark that makes
    it try once more, with the first in sight. No party ever waits for another
    one, so all of this is lock-free.

    {b A giver's duty}: what could not be given because of busy choices becomes
    visible in the structure's state {e first}; then the giver looks again
    ({!ready}), and if somebody has gone to sleep meanwhile it takes back what
    it left and offers anew.

    A plain operation has one cell, enlisted by the very compare-and-set that
    finds nothing to do, so it is never busy (unless it met a busy one).

    Sources: the select of Kotlin's coroutines (its registration phase) and
    Parallel CML (Reppy, Russo, Xiao, ICFP 2009), with the busy state in place
    of their re-registration and of spinning. Checked: dscheck in test/sync, for
    the structures over it. *)

type 'a outcome = ('a, exn * Printexc.raw_backtrace) result

val deliver : 'a outcome -> 'a
(** Returns the value, or raises the exception with its backtrace. *)

type 'a t
(** A cell: one way to serve a choice, with an ['a]. *)

type token
(** The identity of a choice; a choice cannot serve itself. *)

val nobody : token

type answer =
  | Taken  (** the choice decided itself for this offer *)
  | Gone  (** it was served otherwise, or has left *)
  | Busy  (** not yet; the giver's duty begins *)

val offer : self:token -> 'a t -> 'a outcome -> answer
(** [self] is the choice in whose name the offer is made, or {!nobody}. Wakes
    the waiting task if [Taken]. From anywhere; lock-free. *)

val ready : self:token -> 'a t -> bool
(** Whether an offer would have been [Taken]; marks a busy choice. *)

val gone : 'a t -> bool
(** For ever. *)

val is_of : self:token -> 'a t -> bool
(** Whether the cell is one of that choice's. *)

val won : 'a t -> bool
(** Whether the choice accepted an offer to this cell (and not one to another,
    or an operation of its own). *)

val left : 'a t -> bool
(** {!gone} and not {!won}, in one look. *)

val served : unit t
(** A cell that has {!won}: for what is in a line without waiting. *)

(** {1 Operations that may wait} *)

type 'a attempt =
  | Done of 'a outcome
  | Enlisted
  | Nothing  (** not possible now, and no cell was enlisted *)

type 'a source = {
  attempt : self:token -> 'a t option -> 'a attempt;
      (** Carries out the operation if that is possible now. If not, and a cell
          is given, and no busy choice was met, enlists the cell in the same
          atomic step; or else does [Nothing]. Never blocks, never raises. *)
  enlist : 'a t -> unit -> unit;
      (** Enlists the cell, unconditionally; the result is called when the
          choice is over ([ignore], for cells in a {!Line}). *)
  reason : string;  (** what is waited for, for people *)
}
(** An operation. Both functions may be called more than once, from any thread,
    outside any task. *)

type 'c branch =
  | Branch : 'a source * ('a outcome -> 'c) -> 'c branch
      (** An operation among others, and what makes its outcome the choice's
          result, called in the task. *)

val wait : ?shielded:bool -> 'a source -> 'a
(** Carries out the operation, suspending the caller until it is possible.
    Raises what the outcome says, or what cancels the caller; if [shielded] the
    latter waits until the operation is done
    ({!Dromos_suspend.suspend_shielded}). *)

val choose : 'c branch array -> int * (unit -> 'c)
(** Carries out exactly one of the operations, of those that are possible any
    one with equal chance; tells which, and how to get the result. Raises only
    what cancels the caller. *)

val poll : 'c branch array -> (int * (unit -> 'c)) option
(** {!choose} if one is possible now. *)

val start : 'c branch array -> (int * (unit -> 'c) -> unit) -> unit -> bool
(** [start branches f], for schedulers that know no {!Dromos_suspend.Suspend}:
    {!choose} for somebody who is called back: [f] is called once, from
    anywhere, possibly before [start] returns. The result cancels: [true] if [f]
    will then not be called. [f] must neither block nor raise. *)
