(** What can be reached from a vertex of a directed graph, without rounds. *)

val program : Program.t

val search : (module Program.Fork) -> Graph.t -> int -> int array
(** The vertex from which each was reached; -1 for others, and the first one's
    own. Which of several depends on the schedule, whether any does not. *)
