(** Cancelables: groups of fibers that are stopped together, under any
    scheduler.

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
    ({!Dromos_fiber.Cancel}), with a count of its running fibers. Cancelling the
    maker of a cancelable cancels the cancelable too. A cancelled fiber stops
    whatever it does: forks, waits, scopes, other schedulers. A scheduler only
    calls {!wrap} when it makes a fiber: a waiting fiber keeps its node, so a
    resumed fiber needs no new [wrap].

    {b What it holds.} A cancelable is attached below its parent and its maker
    only while its fibers run. A cancelable that was made and dropped, used or
    not, leaves no memory there. {b Cost}: {!wrap} takes one compare-and-set on
    one word of the cancelable when the fiber starts, one when the fiber ends,
    and a listener; the first fiber and the last fiber pay the same for the
    parent. {!cancel} is linear in the number of running fibers. Lock-free,
    except for the wait of {!cancel}.

    {b Memory ordering}: the actions of the fibers happen before {!cancel}
    returns.

    Source: Manticore, section 6.1. Model-checked (test/sched/model_cancel):
    once {!cancel} has returned, no fiber of the cancelable or below runs or
    begins; {!cancel} returns once all fibers have stopped, two concurrent calls
    both return; no listener stays in the nodes above. Tested: under each
    shipped scheduler, in each state of a fiber, and in storms on more workers
    than cores (test/sched/cancelable); random programs of one fiber and of two
    against a model (test/sched/stm). *)

type t

val make : unit -> t
(** A cancelable below the caller's cancelable, if any, and below the
    cancellation node of the caller. Call [make] in a fiber; raises
    {!Dromos_fiber.Misplaced.Misplaced} elsewhere. *)

val wrap : t -> (unit -> unit) -> unit -> unit
(** [wrap c f] is the code of a fiber: calls [f ()] in a new scope until [c] is
    cancelled, or returns at once if [c] is cancelled already. Cancellation by
    [c] is not an error; any other exception of [f] is raised, even while [f] is
    being cancelled. If the fiber itself is cancelled, [Cancelled] is raised. *)

val cancel : t -> unit
(** Cancels, and waits until all running fibers of the cancelable and of the
    cancelables below have stopped, even if another fiber has cancelled before.
    Fibers that have not started are not waited for: they will return at once.
    Raises [Invalid_argument] inside [wrap c], or below, where the caller would
    wait for itself. Call [cancel] in a fiber
    ({!Dromos_fiber.Misplaced.Misplaced}). Cancelling the caller does not end
    the wait: two fibers must not cancel each other. *)

val is_cancelled : t -> bool
(** [true] after {!cancel} of the cancelable or of an ancestor, or after
    cancellation of the fiber that made either. From anywhere. *)
