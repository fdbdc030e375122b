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

    Source: Manticore, section 6.1. *)

type t

val make : unit -> t
(** Below the one that the caller runs under, if any. By a fiber. *)

val wrap : t -> (unit -> unit) -> unit -> unit
(** [wrap c f] is a fiber's code: [f ()], in a scope of its own, until [c] is
    cancelled, and nothing if it is already. That it was cancelled by [c] is not
    an error. *)

val cancel : t -> unit
(** Cancels, and waits until all that were running under it, and under those
    below it, have stopped; also if another has cancelled it before. Raises
    [Invalid_argument] inside [wrap c], or below, where it would wait for
    itself. By a fiber. The wait itself is not cancelled. *)

val is_cancelled : t -> bool
