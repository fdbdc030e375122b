(** The vertices reachable from a vertex of a directed graph, found without
    rounds. *)

val program : Program.t

val search : (module Program.Fork) -> Graph.t -> int -> int array
(** The result gives each vertex a predecessor on a path from the start: -1 for
    unreachable vertices, and the start for the start. The predecessor depends
    on the schedule, the set of reachable vertices does not. *)
