(** Figures of {!Dromos_heap} as user events of [Runtime_events], for those who
    watch a program from outside.

    Collections show without this library: the runtime emits OCaml's own spans
    and counters. Here is what OCaml has no event for. Each is an integer, named
    ["dromos-heap."] and the field's name. *)

type Runtime_events.User.tag +=
  | Entangled
  | Publications
  | Pinned
  | Held
  | Heaps
  | Splits
  | Merges

val emit : unit -> unit
(** Writes all of them, as they are now; nothing on another runtime than that of
    leaf heaps, or if nobody has called [Runtime_events.start].

    [Gc.create_alarm emit] does so after each full collection of the domain that
    calls it. *)
