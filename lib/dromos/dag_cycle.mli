(** The search for cycles. Internal to {!Dag}. *)

val check :
  Dag_graph.t ->
  call:string ->
  passed:(Dag_graph.vertex -> bool) ->
  Dag_graph.vertex list ->
  unit
(** [check g ~call ~passed vertices] raises [Invalid_argument] in the name of
    [call], with the names of a cycle, if there is a cycle through [vertices] or
    their direct and indirect predecessors. A vertex that is [passed] is on no
    cycle, and the search does not go on to its predecessors. Linear in the
    vertices and edges that the search reaches. The caller must be allowed to
    change the graph. *)
