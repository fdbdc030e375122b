(** The vertices and edges of a graph, and their owners at each time. Internal;
    the public part is {!Dag}.

    {b Writers.} One fiber builds an idle graph. A running graph is changed by
    extensions ({!Dag_run.extend}), one at a time, each by its owner. The record
    names, beside each mutable field, the module that writes the field, unless
    this module does. Code of vertices reads [successors] and [edges_in] without
    a lock. The lists are immutable. A vertex reads its own [edges_in] after the
    start, when no edge is added any more, and finds in its [successors] at
    least all edges that were there before the start. *)

type vertex = {
  id : int; (* the number of vertices made before *)
  name : string;
  code : vertex -> unit; (* takes the vertex itself *)
  chooses : bool; (* is a branch: [chosen] has its successors *)
  forget : unit -> unit; (* drops the value of the run before *)
  graph : t;
  fls : Hmap.t option; (* [code] begins with it; [None]: with the run's *)
  mutable of_run : int; (* the only run with this vertex; 0: all runs *)
  mutable successors : edge list; (* newest first *)
  mutable edges_in : edge list; (* newest first *)
  mutable mark : int; [@owner Dag_cycle]
  mutable chosen : vertex list; [@owner Dag_rules]
  mutable ran : bool; [@owner Dag_rules] (* in the current run, or the last *)
}

and edge = {
  from : vertex;
  into : vertex;
  needed : bool; (* [into] runs only if [from] leads to it *)
  added : bool; (* by an extension, for one run *)
}

and t = {
  mutable vertices : vertex list; (* newest first *)
  mutable size : int; (* the length of [vertices] *)
  mutable checked : bool; (* has no cycle, and has not changed since *)
  mutable runs : int; (* the number of runs begun *)
  mutable extended : bool; (* has vertices or edges of one run *)
  mutable extension : extension option; (* the current one; under [lock] *)
  mutable stamp : int; [@owner Dag_cycle]
  running : bool Atomic.t; (* Dag_run *)
  live : live option Atomic.t; (* Dag_run; the current run, for [extend] *)
  lock : Dromos_sync.Mutex.t; (* held by the extension *)
}

and extension = {
  owner : Dromos_sync.Author.Owner.t; (* the task that may change the graph *)
  hold : vertex -> bool;
      (* keeps the vertex from starting; [false]: the vertex has started *)
  mutable edges : edge list; (* the new edges, newest first *)
}

and live = {
  scope : Dromos_fiber.Types.scope; (* the scope of the vertices' fibers *)
  mutable parts : part array; [@owner Dag_part] (* by [id] *)
  run_fls : Hmap.t;
  execute : int -> unit; (* executes a vertex of all runs, by [id] *)
}

and part = {
  of_vertex : vertex;
  kernel : Dromos_kernel.Vertex.t;
  late : Dromos_kernel.Vertex.t Dag_late.t; (* further vertices to wait for *)
}

val create : unit -> t

val add :
  t ->
  call:string ->
  ?name:string ->
  ?chooses:bool ->
  ?forget:(unit -> unit) ->
  (vertex -> unit) ->
  vertex
(** Raises [Invalid_argument] in the name of [call] if the graph is running and
    the caller is not the owner of the current extension. *)

val connect : call:string -> needed:bool -> vertex -> vertex -> unit
(** Raises [Invalid_argument] as {!add} does, and if the vertices are of
    different graphs, one of them belongs to a run that is over, or the second
    has started. *)

val acyclic : t -> unit
(** Sets [checked]: the graph has no cycle. *)

(** {1 Runs} *)

val begin_run : t -> unit
(** Called by the task that has set [running]. Removes the vertices and edges of
    the run before. *)

val is_extended_by_caller : t -> bool

val begin_extension : t -> extension -> unit
(** Called with [lock] held, as are {!undo} and {!end_extension}. *)

val undo : t -> size:int -> extension -> unit
(** Removes the vertices and edges that the extension added; [size] is the size
    of the graph before the extension. *)

val end_extension : t -> unit
