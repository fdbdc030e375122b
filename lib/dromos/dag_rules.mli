(** Which vertices run: branches, and what they leave out. Internal; the rules
    are documented at [Dag.branch]. *)

val choose : Dag_graph.vertex -> Dag_graph.vertex list -> unit
(** By the code of a branch: these of its successors run. Raises
    [Invalid_argument] if one is no successor. *)

val execute : Dag_graph.vertex -> unit
(** Runs the vertex' code if it is due, once its predecessors are over. *)

val reset : Dag_graph.vertex -> unit
(** Forgets the last run. *)
