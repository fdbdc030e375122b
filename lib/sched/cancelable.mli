(** Cancelables: stopping what fibers do, whichever schedulers run them.

    {[
      # open Dromos.Sched;;
      # Dromos.run ~workers:2 (fun () ->
          let c = Cancelable.make () in
          spawn (Cancelable.wrap c (fun () -> Dromos.sleep 1000.));
          Dromos.sleep 0.001;
          Cancelable.cancel c);;
      - : unit = ()
    ]}

    A cancelable is a node of Dromos's one tree of cancellation
    ({!Dromos_fiber.Cancel}), with a count of the fibers that run under it: what
    cancels the fiber that made it cancels it, and what it cancels is whatever
    its fibers do, be it forks, waits, scopes or other schedulers. A scheduler
    needs nothing but {!wrap} where it makes fibers: a fiber keeps its node when
    it waits, so nothing is wrapped again.

    {b What it holds.} A cancelable hangs below its parent and its maker only
    while fibers run under it: made, used or not, and dropped, it leaves nothing
    there. {b Cost}: {!wrap}, one compare-and-set on one word of the cancelable
    when the fiber starts and one when it ends, and a listener; the first fiber
    and the last do the same for the parent. {!cancel}: linear in what runs.
    Lock-free but for the wait of {!cancel}.

    {b Memory ordering}: what the fibers did happens before {!cancel} returns.

    Source: Manticore, section 6.1. Model-checked (test/sched/model_cancel):
    when {!cancel} returns nothing runs under it or below, nor begins to; it
    returns once all have stopped, and two do; nothing stays in what is above.
    Tested: under each shipped scheduler, in each state of a fiber, and in
    storms on more workers than cores (test/sched/cancelable); random programs
    of one fiber and of two against a model (test/sched/stm). *)

type t

val make : unit -> t
(** Below the one that the caller runs under, if any, and below what cancels the
    caller. By a fiber; raises {!Dromos_fiber.Misplaced.Misplaced} elsewhere. *)

val wrap : t -> (unit -> unit) -> unit -> unit
(** [wrap c f] is a fiber's code: [f ()], in a scope of its own, until [c] is
    cancelled, and nothing if it is already. That it was cancelled by [c] is not
    an error; what else [f] raises is raised, also while it is being cancelled.
    If the fiber itself is cancelled, [Cancelled] is raised. *)

val cancel : t -> unit
(** Cancels, and waits until all that were running under it, and under those
    below it, have stopped; also if another has cancelled it before. Fibers that
    have not started are not waited for: they will do nothing. Raises
    [Invalid_argument] inside [wrap c], or below, where it would wait for
    itself. By a fiber ({!Dromos_fiber.Misplaced.Misplaced}). The wait itself is
    not cancelled: let no two fibers cancel each other. *)

val is_cancelled : t -> bool
(** By {!cancel}, of it or of one above, or with the fiber that made it. From
    anywhere. *)
