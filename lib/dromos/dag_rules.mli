(** The rules of branches: which vertices run. Internal; the rules are
    documented at [Dag.branch]. *)

val choose : Dag_graph.vertex -> Dag_graph.vertex list -> unit
(** [choose v chosen]: the branch [v] has chosen these successors. Called in the
    code of [v]. Raises [Invalid_argument] if a vertex of [chosen] is no
    successor. *)

val execute : Dag_graph.vertex -> unit
(** Runs the code of the vertex if the rules say so. Called when all
    predecessors are over. *)

val reset : Dag_graph.vertex -> unit
(** Forgets the last run. *)
