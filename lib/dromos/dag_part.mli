(** What a vertex is in a run: a vertex of the kernel, which starts its fiber.
    Internal to {!Dag}.

    {b Edges that come late.} The kernel lets an edge be added to a vertex that
    cannot start meanwhile. One that is in the run already may start at any
    time, so it is told what else to wait for in its [late] word: whoever
    extends the graph pushes there ({!after}), and the vertex' task, before it
    starts the fiber, takes what is there, waits for it, and looks again, until
    it can put [Started] there by compare-and-set. *)

val mem : Dag_graph.live -> Dag_graph.vertex -> bool
(** Whether it takes part. With the graph's lock, as all below. *)

val started : Dag_graph.live -> Dag_graph.vertex -> bool

val after : Dag_graph.live -> Dag_graph.vertex -> Dromos_kernel.Vertex.t -> bool
(** [after live v k]: a vertex that takes part starts when [k] is over; [false]
    if it has started. *)

val kernel : Dag_graph.live -> Dag_graph.vertex -> Dromos_kernel.Vertex.t

val closure : Dag_graph.live -> Dag_graph.vertex list -> Dag_graph.vertex list
(** These and all that leads to them, as far as it does not take part yet: makes
    a part of each. *)

val enter : Dag_graph.live -> Dag_graph.vertex -> unit
(** Makes a part of one. *)

val release :
  Dag_graph.live ->
  ?gate:Dromos_kernel.Vertex.t ->
  Dag_graph.vertex list ->
  unit
(** Lets new parts start, in this order, when what precedes them is over, all of
    which takes part; and then the gate. *)
