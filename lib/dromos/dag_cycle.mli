(** Cycles. Internal to {!Dag}. *)

val check :
  Dag_graph.t ->
  call:string ->
  passed:(Dag_graph.vertex -> bool) ->
  Dag_graph.vertex list ->
  unit
(** Raises [Invalid_argument] in the name of [call], naming a cycle, if one goes
    through these vertices or what leads to them. Vertices that are [passed] are
    on none, and are not looked behind. Linear in the vertices and edges that
    are looked at. By who may change the graph. *)
