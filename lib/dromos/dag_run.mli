(** Running a graph. Internal; documented in {!Dag}. *)

val run : ?only:Dag_graph.vertex list -> Dag_graph.t -> unit
val extend : Dag_graph.t -> (unit -> 'a) -> 'a
