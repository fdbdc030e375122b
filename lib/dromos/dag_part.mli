(** What a vertex is in a run: a vertex of the kernel, which starts its fiber.
    Internal to {!Dag}.

    {b Edges that come late.} The kernel lets an edge be added to a vertex that
    cannot start meanwhile. A vertex in the run may start at any time, so an
    extension leaves in the vertex' list ({!Dag_late}) what else the vertex is
    to wait for. The task of the vertex takes the list, waits for what is there,
    and looks again, until the list is empty and closed; then the task starts
    the fiber. *)

val absent : size:int -> Dag_graph.part array
(** Places for so many vertices, none of which takes part. *)

val mem : Dag_graph.live -> Dag_graph.vertex -> bool
(** Whether the vertex takes part. Called with the graph's lock held, as are all
    functions below. *)

val started : Dag_graph.live -> Dag_graph.vertex -> bool

val after : Dag_graph.live -> Dag_graph.vertex -> Dromos_kernel.Vertex.t -> bool
(** [after live v k]: a vertex [v] that takes part starts when [k] is over.
    [false] if [v] has started. *)

val kernel : Dag_graph.live -> Dag_graph.vertex -> Dromos_kernel.Vertex.t

val closure : Dag_graph.live -> Dag_graph.vertex list -> Dag_graph.part list
(** Makes parts of these vertices and of all that leads to these, but for parts
    that exist; the new ones. *)

val enter : Dag_graph.live -> Dag_graph.vertex -> Dag_graph.part
(** Makes a part of a vertex. *)

val release :
  Dag_graph.live -> ?gate:Dromos_kernel.Vertex.t -> Dag_graph.part list -> unit
(** Lets new parts start, in this order, when all predecessors, which take part,
    are over; and opens the gate then. *)
