(** What the bridges to other schedulers share: a handler around code that runs
    in a task of a {e host}, a scheduler that does not know {!Dromos_suspend}.

    Inside {!wrap}, [Suspend], [Shielded] and [Self] are answered by the host's
    own means, so that structures of [Dromos_sync] block that one task of the
    host and know it from its neighbours. The handler costs nothing until one of
    these effects is performed; the host's own effects pass through it.

    It reaches as far as handlers do: a task that the host starts from within
    [wrap] has a handler stack of its own, and needs a [wrap] of its own. *)

type wait = {
  wait : 'a. ('a Dromos_suspend.resumer -> 'a option) -> 'a;
  shield : 'a. (unit -> 'a) -> 'a;
}
(** How a task of the host waits: [wait block] runs in that task, makes a
    resumer, applies [block] to it, and returns, or raises, what the resumer was
    given or [block] returned. The contract is that of {!Dromos_suspend}: the
    first call of the resumer wins, wherever it comes from; the host's
    cancellation is tested before [block], and afterwards is one more call of
    the resumer. [shield f] is [f ()] with the host's cancellation put off. *)

val until_woken :
  wake:(unit -> unit) ->
  await:(unit -> (exn * Printexc.raw_backtrace) option) ->
  ('a Dromos_suspend.resumer -> 'a option) ->
  'a
(** A [wait] for hosts that have a one-shot signal: [await ()] suspends the task
    until [wake ()] has been called, from anywhere, or the host cancels the
    task; the result is the cancellation's exception. *)

val wrap : ?id:int -> wait -> (unit -> 'a) -> 'a
(** [wrap wait f] is [f ()] under the handler. The task keeps one identity:
    inside another [wrap] it is that one's, which is asked for by an effect;
    [id] is for hosts where that must not be. As long as it runs it counts as
    {!Dromos_suspend.External}: it may wake others, who are therefore not taken
    for deadlocked. *)
