(** The code shared by all bridges: a handler around code that runs in a task of
    a {e host}, a scheduler that does not know {!Dromos_suspend}.

    Inside {!wrap}, the handler answers [Suspend], [Shielded] and [Self] by the
    host's own means: a structure of [Dromos_sync] blocks only the calling task
    of the host, and distinguishes the task from its neighbours. The handler
    costs nothing until the task performs one of these effects; the host's own
    effects pass through.

    The handler covers one stack: a task started by the host from within [wrap]
    has a handler stack of its own, and needs a [wrap] of its own. *)

type wait = {
  wait : 'a. ('a Dromos_suspend.resumer -> 'a option) -> 'a;
  shield : 'a. (unit -> 'a) -> 'a;
}
(** The wait of a host's task. [wait block] runs in the task, makes a resumer,
    applies [block] to the resumer, and returns (or raises) the result given to
    the resumer or returned by [block]. The contract is the contract of
    {!Dromos_suspend}: the first call of the resumer wins, from whatever thread;
    the host's cancellation is tested before [block], and a later cancellation
    is one more call of the resumer. [shield f] is [f ()] with the host's
    cancellation put off. *)

val until_woken :
  wake:(unit -> unit) ->
  await:(unit -> (exn * Printexc.raw_backtrace) option) ->
  ('a Dromos_suspend.resumer -> 'a option) ->
  'a
(** A [wait] for hosts with a one-shot signal: [await ()] suspends the task
    until [wake ()] has been called, from any thread, or until the host cancels
    the task. The result of [await ()] is the cancellation's exception, if any.
*)

val wrap : ?id:int -> wait -> (unit -> 'a) -> 'a
(** [wrap wait f] is [f ()] under the handler. The task keeps one identity:
    inside another [wrap], the identity of the outer [wrap], found by an effect.
    [id] is for hosts on which no such effect may be performed. While the task
    runs, the task counts as {!Dromos_suspend.External}: it may wake other
    tasks, so the tasks it may wake are not reported as deadlocked. *)
