(** A part: a vertex in a run. The part has a vertex of the kernel, whose task
    starts the fiber of the vertex. Internal to {!Dag}.

    {b Late edges.} The kernel takes an edge only into a vertex that cannot
    start meanwhile. A vertex in the run may start at any time, so an extension
    puts further vertices to wait for into a list of the vertex ({!Dag_late}).
    The task of the vertex takes the list, waits for the vertices on the list,
    and looks again. When the list is empty, the task closes the list and starts
    the fiber. *)

val absent : size:int -> Dag_graph.part array
(** [absent ~size]: places for [size] vertices, none of which takes part. *)

val mem : Dag_graph.live -> Dag_graph.vertex -> bool
(** [true] if the vertex takes part. Called with the graph's lock held, as are
    all functions below. *)

val started : Dag_graph.live -> Dag_graph.vertex -> bool

val after : Dag_graph.live -> Dag_graph.vertex -> Dromos_kernel.Vertex.t -> bool
(** [after live v k]: lets the vertex [v], which takes part, start only when [k]
    is over. [false] if [v] has started. *)

val kernel : Dag_graph.live -> Dag_graph.vertex -> Dromos_kernel.Vertex.t

val closure : Dag_graph.live -> Dag_graph.vertex list -> Dag_graph.part list
(** Makes parts for these vertices and for their direct and indirect
    predecessors, unless they have parts. The result: the new parts. *)

val enter : Dag_graph.live -> Dag_graph.vertex -> Dag_graph.part
(** Makes a part for a vertex. *)

val release :
  Dag_graph.live -> ?gate:Dromos_kernel.Vertex.t -> Dag_graph.part list -> unit
(** Lets new parts start, in this order, each when its predecessors, which must
    take part, are over; then opens the gate. *)
