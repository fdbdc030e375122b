(** Vertices, edges, and who may change them when. Internal; the public part is
    {!Dag}.

    {b Who writes.} One fiber builds an idle graph. A running graph is changed
    by extensions ({!Dag_run.extend}), one at a time, each by its owner. The
    record names, beside each mutable field, the module that writes the field,
    unless this module does. Code of vertices reads [successors] and [edges_in]
    without a lock. The lists are immutable. A vertex reads its own [edges_in]
    after the start, when no edge is added any more, and finds in its
    [successors] all edges that were there before at least. *)

type vertex = {
  id : int; (* its place in the order of making *)
  name : string;
  code : vertex -> unit; (* of the vertex itself *)
  chooses : bool; (* its successors by [chosen] *)
  forget : unit -> unit; (* the value of the run before *)
  graph : t;
  fls : Hmap.t option; (* it begins with; [None]: with the run's *)
  mutable of_run : int; (* the only one it takes part in; 0: it does in all *)
  mutable successors : edge list; (* newest first *)
  mutable edges_in : edge list; (* newest first *)
  mutable mark : int; [@owner Dag_cycle]
  mutable chosen : vertex list; [@owner Dag_rules]
  mutable ran : bool; [@owner Dag_rules] (* in this run, or the last *)
}

and edge = {
  from : vertex;
  into : vertex;
  needed : bool; (* [from] must have led here *)
  added : bool; (* in a run, for that run *)
}

and t = {
  mutable vertices : vertex list; (* newest first *)
  mutable size : int; (* of that list *)
  mutable checked : bool; (* no cycle, and not changed since *)
  mutable runs : int; (* how many have begun *)
  mutable extended : bool; (* holds vertices or edges of a run *)
  mutable extension : extension option; (* under way; under [lock] *)
  mutable stamp : int; [@owner Dag_cycle]
  running : bool Atomic.t; (* Dag_run *)
  live : live option Atomic.t; (* Dag_run; what can be extended *)
  lock : Dromos_sync.Mutex.t; (* held by the extension *)
}

and extension = {
  owner : Dromos_sync.Owner.t; (* may change the graph *)
  hold : vertex -> bool; (* keep it from starting; [false]: it has *)
  mutable edges : edge list; (* added, newest first *)
}

and live = {
  scope : Dromos_fiber.Types.scope; (* of the vertices *)
  mutable parts : part array; [@owner Dag_part] (* by [id] *)
  run_fls : Hmap.t;
  execute : int -> unit; (* a vertex of all runs, by [id] *)
}

and part = {
  of_vertex : vertex;
  kernel : Dromos_kernel.Vertex.t;
  late : Dromos_kernel.Vertex.t Dag_late.t; (* what else is to be over first *)
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
    the caller does not extend it. *)

val connect : call:string -> needed:bool -> vertex -> vertex -> unit
(** Raises [Invalid_argument] likewise, and if the vertices are of different
    graphs, one of them belongs to a run that is over, or the second has
    started. *)

val acyclic : t -> unit
(** It has been [checked]. *)

(** {1 Runs} *)

val begin_run : t -> unit
(** By who has claimed [running]. What the run before has added goes. *)

val is_extended_by_caller : t -> bool

val begin_extension : t -> extension -> unit
(** With [lock] held, as the next two. *)

val undo : t -> size:int -> extension -> unit
(** Takes back all that it added; [size] is that of the graph before. *)

val end_extension : t -> unit
