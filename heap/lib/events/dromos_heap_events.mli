(** Figures of {!Dromos_heap} as user events of [Runtime_events], for tools that
    watch a program from outside.

    The runtime emits OCaml's own spans and counters for collections, without
    this library. The library adds the figures for which OCaml has no event.
    Each event is an integer named ["dromos-heap."] followed by the name of the
    field. *)

type Runtime_events.User.tag +=
  | Entangled
  | Publications
  | Pinned
  | Held
  | Heaps
  | Splits
  | Merges

val emit : unit -> unit
(** Writes the current value of each event. The call does nothing on OCaml's own
    runtime, and before a call of [Runtime_events.start].

    [Gc.create_alarm emit] writes the events after each full collection of the
    calling domain. *)
