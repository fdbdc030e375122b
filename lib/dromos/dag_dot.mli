(** Graphs in Graphviz' language. Internal; documented in {!Dag}. *)

val pp : Format.formatter -> Dag_graph.t -> unit
